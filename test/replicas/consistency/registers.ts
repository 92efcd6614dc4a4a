// Judges what the clients of a run saw without the record of the database: each object is a register that is made,
// changed, deleted and read, and its calls must have an order (test/support/linearizability.ts).
import { type Call, judge, type Model } from '../../support/linearizability.ts'
import { describe, type History, type Operation, type State } from './history.ts'
import type { Violation } from './verify.ts'

/** What a call did to one object, or saw of it. */
export interface Access {
  /** for people */
  readonly by: Operation
  /** of a write: the state after it */
  readonly write?: State
  /** of a write that was answered: whether the object must have been there before; undefined when that does not matter */
  readonly needs?: 'there' | 'missing' | undefined
  /** of a read: the state that it saw */
  readonly saw?: State
}

const MISSING = '-'
const formatState = (state: State): string => (state === null ? MISSING : `+${state}`)

/** @param initial the state before every call */
const register = (initial: State): Model<Access> => ({
  initial: formatState(initial),
  next(state, { write, needs, saw }) {
    if (saw !== undefined) return formatState(saw) === state ? state : undefined
    if (needs !== undefined && (state === MISSING) !== (needs === 'missing')) return undefined
    return formatState(write ?? null)
  },
})

/** Every object whose calls have no order, or for which none was found in time. */
export function verifyRegisters(history: History): Violation[] {
  const found: Violation[] = []
  for (const [name, calls] of callsByObject(history)) {
    // a key is heard of by its secret, which nobody has before it was made
    const initial = name.split(' ')[1]?.startsWith('key/') ? 'alive' : null
    const { verdict, order = [], stuck } = judge(register(initial), calls)
    if (verdict === 'linearizable') continue
    const last = order.slice(-LAST_SHOWN).map(({ input }) => describe(input.by))
    const fits = stuck === undefined ? '' : `; fits nowhere after them: ${describe(stuck.input.by)}`
    found.push({ rule: verdict, text: `${name}: possible so far, the last ones: ${last.join('; ')}${fits}` })
  }
  return found
}

const LAST_SHOWN = 6

/** The calls of each object, by `log object`. */
export function callsByObject({ operations }: History): Map<string, Call<Access>[]> {
  const calls = new Map<string, Call<Access>[]>()
  /** when the first write of an object began, by log */
  const begun = new Map<string, Map<string, number>>()
  const add = (by: Operation, object: string, access: Omit<Access, 'by'>): void => {
    const name = `${by.log} ${object}`
    const ended = by.outcome === 'unknown' ? Number.POSITIVE_INFINITY : by.ended
    const call = { begun: by.begun, ended, input: { by, ...access } }
    const list = calls.get(name)
    if (list === undefined) calls.set(name, [call])
    else list.push(call)
  }
  for (const operation of operations) {
    const { effect, outcome, log } = operation
    if (effect === undefined || outcome === 'refused' || effect.object.startsWith('name/')) continue
    const { object, state } = effect
    add(operation, object, { write: state, needs: operation.isCreation === true ? 'missing' : 'there' })
    const [kind, key] = object.split('/')
    // with a user go the assignments
    if (kind === 'user' && state === null)
      add(operation, `assignment/${key}/reader/default`, { write: null, needs: undefined })
    const first = begun.get(log) ?? new Map<string, number>()
    begun.set(log, first)
    first.set(object, Math.min(first.get(object) ?? operation.begun, operation.begun))
  }
  for (const operation of operations) {
    const { seen, all, log, ended } = operation
    if (seen === undefined) continue
    for (const [object, state] of seen) add(operation, object, { saw: state })
    if (all === undefined) continue
    // what a whole list does not have was missing; before the first write that says nothing
    for (const [object, first] of begun.get(log) ?? [])
      if (object.startsWith(all) && !seen.has(object) && first < ended) add(operation, object, { saw: null })
  }
  return calls
}
