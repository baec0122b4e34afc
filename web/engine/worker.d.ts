/** The engine behind messages. As a worker's script it serves its page by itself; client.js is the page's side. */
export class EngineServer {
  constructor(post: (message: unknown) => void);
  receive(message: unknown): void;
}
