// The provider of permissions, its hooks, and `Can` (docs/browser.md). What is not known yet is neither allowed nor
// denied: `undefined`. No JSX, so that this needs no step of its own in the build.
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Snapshot } from '../../model/snapshot.ts'
import { loadSnapshot } from '../load.ts'
import { permissions, type Row } from '../permissions.ts'
import { type Load, SnapshotKeeper } from './snapshot-keeper.ts'

/** Asks the server about what a snapshot does not say. */
export type AskServer = (action: string, resource: Row | string, signal: AbortSignal) => Promise<boolean>

/** Where snapshots come from. To change it, change the `key` of the provider. */
type SnapshotSource =
  /** where the application's server answers with a snapshot */
  { readonly url: string; readonly load?: undefined } | { readonly load: Load; readonly url?: undefined }

export type PermissionsProviderProps = SnapshotSource & {
  /** a snapshot that came with the page */
  readonly initial?: Snapshot | undefined
  /** the tenant of rows that name none */
  readonly tenant?: string | undefined
  /** asks the server for `Can` and `useCan`; without it what only the server knows stays unknown */
  readonly ask?: AskServer | undefined
  /** called when `ask` fails */
  readonly onError?: ((error: unknown) => void) | undefined
  readonly children?: ReactNode
}

export interface UsedPermissions {
  /** the answer of the snapshot; undefined without a snapshot, and when only the server can answer */
  readonly may: (action: string, resource: Row | string) => boolean | undefined
  /** the snapshot that answers; undefined before the first one is loaded and after the last one has ended */
  readonly snapshot: Snapshot | undefined
  /** why the last attempt to load one failed; further ones follow */
  readonly error: unknown
  /** loads a snapshot now: after a change of roles, say */
  readonly refresh: () => void
}

interface Provided extends UsedPermissions {
  readonly ask: AskServer | undefined
  readonly onError: (error: unknown) => void
}

const Context = createContext<Provided | undefined>(undefined)
const none = () => undefined

export function PermissionsProvider(props: PermissionsProviderProps): ReactNode {
  const { initial, tenant, ask, onError = none, children } = props
  const [keeper] = useState(() => new SnapshotKeeper(chooseLoad(props), initial))
  useEffect(() => keeper.start(), [keeper])
  const { snapshot, error } = useSyncExternalStore(keeper.listen, keeper.kept, keeper.kept)
  const may = useMemo(() => (snapshot === undefined ? none : permissions(snapshot, { tenant }).may), [snapshot, tenant])
  const calls = useLatest({ ask, onError })
  const asks = ask !== undefined
  const askNow: AskServer = useCallback(
    (action, resource, signal) => calls.current.ask!(action, resource, signal),
    [calls],
  )
  const tell = useCallback((failure: unknown) => calls.current.onError(failure), [calls])
  const value = useMemo(
    () => ({ may, snapshot, error, refresh: keeper.refresh, ask: asks ? askNow : undefined, onError: tell }),
    [may, snapshot, error, keeper, asks, askNow, tell],
  )
  return createElement(Context.Provider, { value }, children)
}

function chooseLoad({ url, load }: SnapshotSource): Load {
  return load ?? ((at) => loadSnapshot(url, at))
}

/** What was given last, for what runs later. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  // before the effects of components below
  useInsertionEffect(() => {
    latest.current = value
  })
  return latest
}

function useProvided(): Provided {
  const provided = useContext(Context)
  if (provided === undefined) throw new Error('there is no PermissionsProvider above this component')
  return provided
}

/** The permissions of the nearest provider. */
export function usePermissions(): UsedPermissions {
  return useProvided()
}

/** Whether the user may; where only the server can tell, it is asked. Undefined until it is known. */
export function useCan(action: string, resource: Row | string): boolean | undefined {
  const { may, snapshot, ask, onError } = useProvided()
  const known = may(action, resource)
  const [answered, setAnswered] = useState<{ readonly question: string; readonly answer: boolean } | undefined>()
  const isAsked = snapshot !== undefined && known === undefined && ask !== undefined
  const question = isAsked ? JSON.stringify([action, resource]) : undefined
  useEffect(() => {
    if (question === undefined || snapshot === undefined || ask === undefined) return
    const [asked, about] = JSON.parse(question) as [string, Row | string]
    const asking = new AbortController()
    ask(asked, about, asking.signal).then(
      (answer) => asking.signal.aborted || setAnswered({ question, answer }),
      (error) => {
        if (asking.signal.aborted) return
        setAnswered(undefined)
        onError(error)
      },
    )
    return () => asking.abort()
  }, [question, snapshot, ask, onError])
  return known ?? (answered !== undefined && answered.question === question ? answered.answer : undefined)
}

export interface CanProps {
  /** the action */
  readonly do: string
  /** a row, or a type */
  readonly on: Row | string
  /** shown to those who may */
  readonly children?: ReactNode
  /** shown to those who may not */
  readonly otherwise?: ReactNode
  /** shown while it is not known */
  readonly unknown?: ReactNode
}

/** Shows its children to those who may. It only hides what others cannot use; the server decides. */
export function Can({ do: action, on, children, otherwise, unknown }: CanProps): ReactNode {
  const can = useCan(action, on)
  return can === undefined ? unknown : can ? children : otherwise
}
