// The draft of each environment: kept by the tab across reloads, with steps back and forth while the page is open. It
// is bound to the environment and the revision from which it was begun.
import { useSyncExternalStore } from 'react'
import { type Edit, type Edits, NO_EDITS } from './draft.ts'

/** Steps that can be taken back. */
const STEPS_MAX = 200
const VERSION = 1

export interface Draft {
  /** of the environment when its first edit was made */
  readonly revision: number
  readonly edits: Edits
}

interface State {
  readonly draft: Draft
  readonly past: readonly Draft[]
  readonly future: readonly Draft[]
}

const NOTHING: State = { draft: { revision: 0, edits: NO_EDITS }, past: [], future: [] }

/** By the id of the environment. */
const states = new Map<string, State>()
const listeners = new Set<() => void>()

export interface DraftStore {
  readonly draft: Draft
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** A step that can be undone. `revision` is what it began from, where it is the first one. */
  readonly edit: (edits: Edits, revision: number) => void
  /** The edits stand on another revision now; what was before cannot be gone back to. */
  readonly rebase: (edits: Edits, revision: number) => void
  readonly undo: () => void
  readonly redo: () => void
  /** Forgets all of it. */
  readonly clear: () => void
}

export function useDraft(environment: string): DraftStore {
  const { draft, past, future } = useSyncExternalStore(subscribe, () => ensureState(environment))
  return {
    draft,
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    edit: (edits, revision) => become(environment, edited(ensureState(environment), edits, revision)),
    rebase: (edits, revision) => become(environment, { ...NOTHING, draft: { edits, revision } }),
    undo: () => become(environment, undone(ensureState(environment))),
    redo: () => become(environment, redone(ensureState(environment))),
    clear: () => become(environment, NOTHING),
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function ensureState(environment: string): State {
  const known = states.get(environment)
  if (known !== undefined) return known
  const state = { ...NOTHING, draft: storedDraft(environment) ?? NOTHING.draft }
  states.set(environment, state)
  return state
}

function edited(state: State, edits: Edits, revision: number): State {
  const { draft, past } = state
  if (edits === draft.edits) return state
  const next = { edits, revision: draft.edits.size === 0 ? revision : draft.revision }
  return { draft: next, past: [...past, draft].slice(-STEPS_MAX), future: [] }
}

function undone({ draft, past, future }: State): State {
  const before = past.at(-1)
  if (before === undefined) return { draft, past, future }
  return { draft: before, past: past.slice(0, -1), future: [draft, ...future] }
}

function redone({ draft, past, future }: State): State {
  const [after, ...rest] = future
  if (after === undefined) return { draft, past, future }
  return { draft: after, past: [...past, draft], future: rest }
}

function become(environment: string, state: State): void {
  states.set(environment, state)
  keep(environment, state.draft)
  for (const listener of listeners) listener()
}

const storageKey = (environment: string): string => `zerohop-policy-draft:${environment}`

/** Where the tab keeps nothing, or has no room left, the draft lives as long as the page. */
function keep(environment: string, { revision, edits }: Draft): void {
  try {
    if (edits.size === 0) sessionStorage.removeItem(storageKey(environment))
    else
      sessionStorage.setItem(storageKey(environment), JSON.stringify({ version: VERSION, revision, edits: [...edits] }))
  } catch {
    // as said above
  }
}

function storedDraft(environment: string): Draft | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey(environment)) ?? 'null') as {
      readonly version: number
      readonly revision: number
      readonly edits: readonly [string, Edit][]
    } | null
    if (stored?.version !== VERSION) return undefined
    return { revision: stored.revision, edits: new Map(stored.edits) }
  } catch {
    return undefined
  }
}
