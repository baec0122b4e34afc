import "./style.css";
import { render } from "preact";
import { App } from "./app";
import { HttpBackend } from "./http_backend";

render(<App backend={new HttpBackend()} />, document.getElementById("app")!);
