import { openBrowser, openPage } from "./browser.mjs";
import axe from "axe-core";
const base=process.argv[2], out=process.argv[3];
const b=await openBrowser();
for(const scheme of ["light","dark"])for(const [d,vp] of [["desktop",{width:1280,height:900}],["phone",{width:390,height:844}]]){
 const p=await openPage(b,{viewport:vp,colorScheme:scheme,isMobile:d==="phone",hasTouch:d==="phone"});
 for(const g of ["quoridor","quoridor4","blockade","go:9x9"]){
  await p.goto("about:blank");await p.goto(`${base}/#play?${new URLSearchParams({game:g,moves:"e8 e2 e7 e3h c3v",seats:"person person person person"})}`);
  await p.getByTestId("status").waitFor();
  if(g==="quoridor"||g.startsWith("go"))await p.getByLabel("Analyse while playing").check(),await p.waitForTimeout(400);
  await p.screenshot({path:`${out}/${d}-${scheme}-${g.replace(/\W/g,"")}.png`,fullPage:d==="phone"});
  await p.evaluate(axe.source);const v=(await p.evaluate(()=>axe.run())).violations;for(const x of v)console.log(d,scheme,g,x.impact,x.id,x.nodes.slice(0,3).map(n=>n.html.slice(0,110)+" :: "+(n.any[0]?.message??"").slice(0,140)));
 }
 await p.goto(`${base}/#run`);await p.locator(".chart svg").first().waitFor();
 await p.screenshot({path:`${out}/${d}-${scheme}-run.png`,fullPage:true});
 await p.evaluate(axe.source);const v=(await p.evaluate(()=>axe.run())).violations;for(const x of v)console.log(d,scheme,"run",x.impact,x.id,x.nodes.slice(0,3).map(n=>n.html.slice(0,110)));
 console.log(p.faults);
 await p.context().close();
}
await b.close();
