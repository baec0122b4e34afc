// `koridor serve` as a child, on a free port.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export async function startServer(koridor, words) {
  const child = spawn(koridor, ["serve", "--port", "0", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  // Whatever ends this program, a failed assertion too, the server goes with it.
  process.on("exit", () => child.kill("SIGKILL"));
  const base = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const found = /http:\/\/\S+:\d+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`koridor serve ended with ${code}`)));
  });
  return {
    base,
    port: Number(new URL(base).port),
    pid: child.pid,
    /** Resident memory in MiB. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024,
    descriptors: () => readFileSync(`/proc/${child.pid}/limits`) && import("node:fs").then((fs) => fs.readdirSync(`/proc/${child.pid}/fd`).length),
    alive: () => child.exitCode === null && child.signalCode === null,
    stop: () =>
      new Promise((resolve) => {
        child.on("exit", (code) => resolve(code));
        child.kill("SIGTERM");
      }),
  };
}
