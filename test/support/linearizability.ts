// Whether a history of calls that overlapped could have happened one after the other: each call at one moment between
// its begin and its end, with the answer that it got (the search of Wing and Gong, with the memory of Lowe). A call of
// which nobody knows what became happened at some moment after its begin, or never. Histories of many objects are judged
// object by object: all of them are linearizable if and only if each is.

/** What calls do to one object. States are texts, so that they can be told apart. */
export interface Model<Input> {
  readonly initial: string
  /** The state after a call that was answered so; undefined when no such call can happen in this state. */
  next(state: string, input: Input): string | undefined
}

export interface Call<Input> {
  readonly begun: number
  /** Infinity when nobody knows whether it happened */
  readonly ended: number
  /** what was asked and, of a call that ended, what was answered */
  readonly input: Input
}

export interface Verdict<Input> {
  /** `undecided`: the search was given up after `stepsMax` */
  readonly verdict: 'linearizable' | 'not linearizable' | 'undecided'
  /** unless it is linearizable: the most calls in an order that is possible, and the call that fits nowhere after them */
  readonly order?: readonly Call<Input>[]
  readonly stuck?: Call<Input>
}

/** A begin or an end, in a list in the order of time. */
interface Event<Input> {
  readonly call: Call<Input>
  /** the number of the call; of an end, too */
  readonly at: number
  /** of a begin whose call ended */
  end: Event<Input> | undefined
  readonly isEnd: boolean
  before: Event<Input> | undefined
  after: Event<Input> | undefined
}

const STEPS_MAX = 5_000_000

/** Judges the calls of one object. What ends in the instant in which another call begins counts as overlapping. */
export function judge<Input>(model: Model<Input>, calls: readonly Call<Input>[], stepsMax = STEPS_MAX): Verdict<Input> {
  const head = linkEvents(calls)
  const done = new Uint16Array(Math.ceil(calls.length / 16))
  const seen = new Set<string>()
  const placed: { readonly event: Event<Input>; readonly state: string }[] = []
  let state = model.initial
  let open = calls.filter(({ ended }) => ended !== Number.POSITIVE_INFINITY).length
  let longest: readonly Call<Input>[] = []
  let stuck: Call<Input> | undefined
  let event = head.after
  for (let steps = 0; open > 0; steps++) {
    if (steps > stepsMax) return { verdict: 'undecided', order: longest, ...(stuck && { stuck }) }
    if (event === undefined) throw new Error('every end is in the list until its call is placed')
    if (!event.isEnd) {
      const next = model.next(state, event.call.input)
      if (next !== undefined && isNew(event.at, next)) {
        placed.push({ event, state })
        state = next
        if (event.end !== undefined) open--
        unlink(event)
        event = head.after
      } else event = event.after
      continue
    }
    // the call ended, and is not placed: something before it was placed wrongly
    if (placed.length >= longest.length) {
      longest = placed.map((one) => one.event.call)
      stuck = event.call
    }
    const last = placed.pop()
    if (last === undefined)
      return { verdict: 'not linearizable', order: longest, stuck: event.call, ...(stuck && { stuck }) }
    relink(last.event)
    toggle(last.event.at)
    if (last.event.end !== undefined) open++
    state = last.state
    event = last.event.after
  }
  return { verdict: 'linearizable' }

  /** Marks the call as placed, unless the same calls have led to the same state before. */
  function isNew(at: number, next: string): boolean {
    toggle(at)
    const name = `${String.fromCharCode(...done)}${next}`
    if (!seen.has(name)) {
      seen.add(name)
      return true
    }
    toggle(at)
    return false
  }

  function toggle(at: number): void {
    done[at >> 4]! ^= 1 << (at & 15)
  }
}

/** Links the events of the calls in order of time. Returns the head of the list, which is not an event itself. */
function linkEvents<Input>(calls: readonly Call<Input>[]): Event<Input> {
  const events = calls.flatMap((call, at) => {
    const begin: Event<Input> = { call, at, end: undefined, isEnd: false, before: undefined, after: undefined }
    if (call.ended === Number.POSITIVE_INFINITY) return [begin]
    begin.end = { ...begin, isEnd: true }
    return [begin, begin.end]
  })
  const eventTime = ({ call, isEnd }: Event<Input>): number => (isEnd ? call.ended : call.begun)
  events.sort((one, other) => eventTime(one) - eventTime(other) || Number(one.isEnd) - Number(other.isEnd))
  const none = { begun: 0, ended: 0, input: undefined as Input }
  const head: Event<Input> = { call: none, at: -1, end: undefined, isEnd: false, before: undefined, after: undefined }
  let last = head
  for (const event of events) {
    last.after = event
    event.before = last
    last = event
  }
  return head
}

/** Takes a begin and its end out of the list. */
function unlink<Input>(event: Event<Input>): void {
  for (const one of event.end === undefined ? [event] : [event, event.end]) {
    if (one.before) one.before.after = one.after
    if (one.after) one.after.before = one.before
  }
}

/** Puts them back where they were: what was taken out last comes back first. */
function relink<Input>(event: Event<Input>): void {
  for (const one of event.end === undefined ? [event] : [event.end, event]) {
    if (one.before) one.before.after = one
    if (one.after) one.after.before = one
  }
}
