import { useEffect, useRef } from "preact/hooks";

/** Safari takes a new address a hundred times in thirty seconds. */
const ADDRESS_EVERY = 300; // milliseconds

/** Tells `onAddress` of each new address of the game that is shown, a while after it has changed. */
export function useAddress(address: string, visible: boolean, onAddress: (hash: string) => void): void {
  const opening = useRef(true);
  useEffect(() => {
    if (!visible) return;
    if (opening.current) {
      opening.current = false; // a game in which nothing was done yet needs no address of its own
      return;
    }
    const timer = setTimeout(() => onAddress(address), ADDRESS_EVERY);
    return () => clearTimeout(timer);
  }, [address, visible]);
}
