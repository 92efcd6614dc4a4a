// How a long-lived part reports what happens to it: it calls one function with events, objects that have their name
// under `event`. A part takes that function as its option `onEvent`; errors that it throws are dropped, so that it
// cannot stop the part. The store has several listeners inside the process and offers `listen` instead; their errors
// are contained, so that each listener hears.
import { contain } from './contained.ts'

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
    for (const listener of this.#all) {
      try {
        listener(event)
      } catch (error) {
        contain(`a listener of '${event.event}'`, error)
      }
    }
  }

  clear(): void {
    this.#all.clear()
  }
}
