import type { ComponentChildren } from "preact";

interface StepButtonProps {
  onStep: () => void;
  /** There is nothing for it to do now. */
  idle: boolean;
  children: ComponentChildren;
}

/** A button that is idle at times and keeps the keyboard's focus then, which one that is `disabled` loses. */
export function StepButton({ onStep, idle, children }: StepButtonProps) {
  return (
    <button onClick={() => idle || onStep()} aria-disabled={idle}>
      {children}
    </button>
  );
}
