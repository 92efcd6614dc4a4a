// How a part that lives as long as its process tells what happens to it: one function that hears events, each an object that says its name under
// `event`. A part takes that function as its option `onEvent`, and what it throws is dropped: it cannot stop the part. The store, which several other
// parts listen to, gives out `listen` instead; what one of those throws is a defect, and is not hidden.

interface PartEvent {
  readonly event: string
}

export type OnEvent<E extends PartEvent> = (event: E) => void

/** Tells whoever uses a part, when they want to hear. */
export function tell<E extends PartEvent>(onEvent: OnEvent<E> | undefined, event: E): void {
  try {
    onEvent?.(event)
  } catch {
    // said above
  }
}

/** Other parts that listen to one. */
export class Listeners<E extends PartEvent> {
  readonly #all = new Set<OnEvent<E>>()

  /** Returns how to stop. */
  add(listener: OnEvent<E>): () => void {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  tell(event: E): void {
    for (const listener of this.#all) listener(event)
  }

  clear(): void {
    this.#all.clear()
  }
}
