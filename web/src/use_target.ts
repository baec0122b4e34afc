// What is pointed at on the board, by whatever means, and the actions that it may mean.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BoardProps } from "./board";
import type { Target } from "./board_layers";
import type { Action, IllegalAction, Picture } from "./picture";
import { type Spot, spotKey } from "./view";

/** All actions by their place on the board. */
function actionsByPlace(picture: Picture) {
  const legal = new Map<string, Action[]>();
  const illegal = new Map<string, IllegalAction[]>();
  for (const action of picture.legal ?? []) {
    const key = spotKey(action.kind, action.at);
    legal.set(key, [...(legal.get(key) ?? []), action]);
  }
  for (const action of picture.illegal ?? []) {
    const key = spotKey(action.kind, action.at);
    illegal.set(key, [...(illegal.get(key) ?? []), action]);
  }
  return { legal, illegal };
}

export type Pointed = ReturnType<typeof useTarget>;

export function useTarget({ picture, onPlay, onObjection, onCursor }: BoardProps) {
  const places = useMemo(() => actionsByPlace(picture), [picture]);
  const [target, setTarget] = useState<Target | null>(null);
  const [chosenPawn, choosePawn] = useState<number | null>(null);
  // The place of the wall that a finger has put down, which another touch there plays.
  const pending = useRef<string | null>(null);
  useEffect(() => {
    setTarget(null);
    choosePawn(null);
    pending.current = null;
  }, [picture]);

  const lookAt = (spot: Spot): Target => {
    const key = spotKey(spot.kind, spot.at);
    const meant = (action: Action | IllegalAction) => chosenPawn === null || (action.pawn ?? chosenPawn) === chosenPawn;
    return {
      spot,
      legal: (places.legal.get(key) ?? []).filter(meant),
      illegal: places.illegal.get(key)?.find(meant),
    };
  };

  const show = (next: Target | null) => {
    setTarget(next);
    if (!next) pending.current = null;
    onObjection?.(next && next.legal.length === 0 ? (next.illegal ?? null) : null);
  };

  const play = (next: Target) => {
    pending.current = null;
    if (next.legal.length === 1) return onPlay?.(next.legal[0]!);
    if (next.legal.length > 1) {
      onCursor("Both pawns can go there: choose one of them first.");
      return;
    }
    show(next);
  };

  const ownPawn = (spot: Spot) =>
    spot.kind === "pawn"
      ? picture.pawns?.find((p) => p.seat === picture.mover && spotKey("pawn", p.at) === spotKey("pawn", spot.at))
      : undefined;

  return { target, chosenPawn, choosePawn, pending, lookAt, show, play, ownPawn };
}
