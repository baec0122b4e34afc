import "./style.css";
import { render } from "preact";
import { App } from "./app";
import { HttpBackend } from "./http_backend";
import { WorkerBackend } from "./worker_backend";

// A page of `koridor page` names its list of models (build.mjs); a page of `koridor serve` has a server.
const list = document.querySelector<HTMLMetaElement>('meta[name="koridor-page"]')?.content;
render(<App backend={list ? new WorkerBackend(list) : new HttpBackend()} />, document.getElementById("app")!);
