// Positions and analyses as they come: the package's types, of which the page draws all.
export type * from "../engine/picture";
