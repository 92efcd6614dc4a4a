// Whose errors no one can catch: listeners, timers, hooks after an answer, work that no one waits for. An error that
// leaves one of them would end the process, with everything else it does. They go through here: the error is counted
// and told, and the process goes on. test/tidy finds those that do not.

type Hear = (place: string, error: unknown) => void

let errors = 0
let hear: Hear = warn

/** Errors that were contained since this process, or this thread, started. */
export const containedErrors = (): number => errors

/** Calls a listener with each error instead of warning the process: a server logs them. Returns a function to stop. */
export function hearContained(listener: Hear): () => void {
  hear = listener
  return () => {
    hear = warn
  }
}

/** Counts and tells an error that would have left a callback. Never throws. */
export function contain(place: string, error: unknown): void {
  errors++
  try {
    hear(place, error)
  } catch {
    // whoever tells cannot be told about
  }
}

/**
 * The callback, which never throws.
 * @param place what it is, in the words of a log
 * @param otherwise called with the error, to answer whoever waits for the callback
 */
export function contained<A extends unknown[]>(
  place: string,
  run: (...args: A) => void,
  otherwise?: (error: unknown) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      run(...args)
    } catch (error) {
      contain(place, error)
      if (otherwise !== undefined) contained(place, otherwise)(error)
    }
  }
}

/** Lets work go on that no one waits for. */
export function inBackground(place: string, work: Promise<unknown>): void {
  work.catch((error) => contain(place, error))
}

/** Where no one listens, as in an application, Node prints it; a page has no process. */
function warn(place: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  globalThis.process?.emitWarning(`zerohop: ${place} failed: ${message}`, { code: 'ZEROHOP_CONTAINED' })
}
