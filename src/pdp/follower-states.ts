// The states of a follower and what leads from one to another: src/pdp/follower.ts, whose header draws them.

/** What the follower is doing about its image. */
export type State =
  /** the last image on disk */
  | 'reading'
  /** a fresh image from the feed */
  | 'fetching'
  /** the deltas after the image that it has */
  | 'following'
  /** pauses, then goes on with the same image */
  | 'retrying'
  /** pauses, then takes a fresh image: the one it has cannot go on, or there is none */
  | 'refetching'
  /** the key is dead, the environment deleted, or the follower closed */
  | 'ended'

export type Step =
  /** there is an image to follow */
  | 'loaded'
  /** nothing that could be used was on disk */
  | 'nothing'
  /** the connection is over, whatever the reason */
  | 'broken'
  /** the image that is followed takes no more deltas */
  | 'unfit'
  /** the pause is over */
  | 'waited'
  | 'ended'

/** A step that a state does not name leaves it as it is. */
const NEXT: Readonly<Record<State, Partial<Record<Step, State>>>> = {
  reading: { loaded: 'following', nothing: 'fetching', ended: 'ended' },
  fetching: { loaded: 'following', broken: 'refetching', ended: 'ended' },
  following: { broken: 'retrying', unfit: 'refetching', ended: 'ended' },
  retrying: { waited: 'following', unfit: 'refetching', ended: 'ended' },
  refetching: { waited: 'fetching', ended: 'ended' },
  ended: {},
}

export const nextState = (state: State, step: Step): State => NEXT[state][step] ?? state
