// The states of a follower and their transitions, drawn in the header of src/pdp/follower.ts.

/** The states. */
export type State =
  /** reads the last image from disk */
  | 'reading'
  /** fetches an image from the feed */
  | 'fetching'
  /** receives the deltas after its image */
  | 'following'
  /** pauses, then continues with the same image */
  | 'retrying'
  /** pauses, then fetches an image: it has none, or the one that it has cannot continue */
  | 'refetching'
  /** the key was revoked, the environment deleted, or the follower closed */
  | 'ended'

export type Step =
  /** there is an image to follow */
  | 'loaded'
  /** the disk has no usable image */
  | 'nothing'
  /** the connection ended, whatever the reason */
  | 'broken'
  /** the followed image can take no more deltas */
  | 'unfit'
  /** the pause is over */
  | 'waited'
  | 'ended'

/** Transitions that are not listed leave the state unchanged. */
const NEXT: Readonly<Record<State, Partial<Record<Step, State>>>> = {
  reading: { loaded: 'following', nothing: 'fetching', ended: 'ended' },
  fetching: { loaded: 'following', broken: 'refetching', ended: 'ended' },
  following: { broken: 'retrying', unfit: 'refetching', ended: 'ended' },
  retrying: { waited: 'following', unfit: 'refetching', ended: 'ended' },
  refetching: { waited: 'fetching', ended: 'ended' },
  ended: {},
}

export const nextState = (state: State, step: Step): State => NEXT[state][step] ?? state
