// The board under the mouse and under fingers: squares and walls are pointed at, played, and dragged.
import { useEffect, useRef, useState } from "preact/hooks";
import type { BoardProps, Tool } from "./board";
import type { Pointed } from "./use_target";
import { GROOVE, isWall, type Spot, spotKey, type View } from "./view";

/** What is at a place of the drawing, in its own units; `reach`: half of the width in which a wall is meant. */
function spotAt({ x, y }: { x: number; y: number }, view: View, tool: Tool, reach: number): Spot | null {
  const at = view.squareAt(x, y);
  if (!at) return null;
  if (view.board.lattice !== "squares") return { kind: "stone", at: view.toBoard(at) };
  if (isWall(tool)) return view.spotToBoard(view.wallNear(x, y, tool));
  const wall = tool === "any" ? view.wallAt(x, y, reach) : null;
  return wall ? view.spotToBoard(wall) : { kind: "pawn", at: view.toBoard(at) };
}

/** `svg` is for the drawing, `dragged` the pawn that is on its way; the rest are the drawing's handlers. */
export function usePointer(props: BoardProps, view: View, pointed: Pointed) {
  const { picture, active, tool } = props;
  const { target, choosePawn, pending, lookAt, show, play, ownPawn } = pointed;
  const [dragged, setDragged] = useState<{ pawn: number; x: number; y: number } | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  // Where a press began that sets something up when it ends there: a finger may be about to scroll the page.
  const pressed = useRef<Spot | null>(null);
  useEffect(() => setDragged(null), [picture]);

  const place = (event: PointerEvent) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current!.getScreenCTM()!.inverse());
    return { x: point.x, y: point.y };
  };
  const spotUnder = (event: PointerEvent) => {
    const reach = event.pointerType === "mouse" ? GROOVE / 2 + 3 : GROOVE;
    return spotAt(place(event), view, tool === "any" && dragged ? "pawn" : tool, reach);
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const spot = spotUnder(event);
    if (!spot) return;
    if (props.onPoint) pressed.current = spot;
    if (!active) return;
    const pawn = ownPawn(spot);
    if (pawn) {
      choosePawn(pawn.pawn);
      setDragged({ pawn: pawn.pawn, ...place(event) });
      svg.current!.setPointerCapture(event.pointerId);
      return;
    }
    const next = lookAt(spot);
    // A finger hides what it points at: a wall is shown first and played by a second touch.
    const touched = event.pointerType !== "mouse" && spot.kind !== "pawn";
    const key = spotKey(spot.kind, spot.at);
    if (touched && pending.current !== key) {
      pending.current = key;
      show(next);
      if (next.legal.length > 0) props.onCursor(`${next.legal[0]!.text}: touch again to play it`);
      return;
    }
    play(next);
  };

  const onPointerMove = (event: PointerEvent) => {
    if (dragged) setDragged({ ...dragged, ...place(event) });
    const touch = event.pointerType !== "mouse";
    if (!active || (touch && !dragged && !props.carrying && !pending.current)) return;
    const spot = spotUnder(event);
    if (spot && target && spotKey(spot.kind, spot.at) === spotKey(target.spot.kind, target.spot.at)) return;
    // A finger drags the wall that it has put down; another touch plays it.
    const held = touch && pending.current;
    show(spot && !ownPawn(spot) ? lookAt(spot) : null);
    if (held && spot) pending.current = spotKey(spot.kind, spot.at);
  };

  const onPointerUp = (event: PointerEvent) => {
    const began = pressed.current;
    pressed.current = null;
    if (props.onPoint && began) {
      const under = spotUnder(event);
      if (under && spotKey(under.kind, under.at) === spotKey(began.kind, began.at)) props.onPoint(under);
      return;
    }
    if (active && props.carrying) {
      const under = spotUnder(event);
      if (under) play(lookAt(under));
      return;
    }
    if (!dragged) return;
    const spot = spotUnder(event);
    setDragged(null);
    if (spot && !ownPawn(spot)) play(lookAt(spot));
  };

  // A finger that is lifted leaves, too, and the wall that it has shown waits for the second touch.
  const onPointerLeave = (event: PointerEvent) => event.pointerType === "mouse" && !dragged && show(null);
  const onPointerCancel = () => {
    pressed.current = null;
    setDragged(null);
  };
  return { svg, dragged, onPointerDown, onPointerMove, onPointerUp, onPointerLeave, onPointerCancel };
}
