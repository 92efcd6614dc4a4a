// All or nothing.
import { Faults, type Outcome } from './call.ts'
import type { State } from './state.ts'

/** Does `act` on a copy, which becomes the state when there are no faults. */
export function atOnce(state: State, act: (next: State, faults: Faults) => Outcome): Outcome {
  const next = state.copy()
  const faults = new Faults()
  const outcome = act(next, faults)
  return faults.else(() => {
    if ([outcome.status].flat().every((status) => status < 300)) state.become(next)
    return outcome
  })
}
