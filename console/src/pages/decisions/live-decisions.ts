// Decisions as they are recorded: the stream of the API, as long as the page wants it. The browser connects again by
// itself when the connection is lost; when the server refuses, for example because the session ended, it is over.
import { useEffect, useState } from 'react'
import type { EnvironmentPath } from '../../api/environments.ts'
import { type DecisionsSearch, type RecordedDecision, toStreamQuery } from './decisions-search.ts'

/** Decisions that are kept: older ones are in the list. */
const KEPT = 200

export interface LiveDecisions {
  /** the newest first */
  readonly decisions: readonly RecordedDecision[]
  /** `lost`: the server refused, or ended it */
  readonly state: 'off' | 'connecting' | 'open' | 'lost'
  /** more came than the page was sent */
  readonly hasMissed: boolean
}

const OFF: LiveDecisions = { decisions: [], state: 'off', hasMissed: false }

/** @param onOpen called whenever the stream begins: what came before is in the list */
export function useLiveDecisions(
  { p, e }: EnvironmentPath,
  search: DecisionsSearch,
  isWanted: boolean,
  onOpen: () => void,
): LiveDecisions {
  const [live, setLive] = useState(OFF)
  const query = toStreamQuery(search).toString()
  useEffect(() => {
    setLive(OFF)
    if (!isWanted) return undefined
    const place = [p, e].map(encodeURIComponent).join('/')
    const source = new EventSource(`/console/api/v2/pdps/${place}/audit_logs/stream?${query}`)
    const become = (change: Partial<LiveDecisions>) => setLive((before) => ({ ...before, ...change }))
    become({ state: 'connecting' })
    source.addEventListener('open', () => {
      become({ state: 'open' })
      onOpen()
    })
    source.addEventListener('error', () =>
      become({ state: source.readyState === EventSource.CLOSED ? 'lost' : 'connecting' }),
    )
    source.addEventListener('decision', ({ data }) => {
      const decision = JSON.parse(data as string) as RecordedDecision
      setLive((before) => ({ ...before, decisions: [decision, ...before.decisions].slice(0, KEPT) }))
    })
    source.addEventListener('missed', () => become({ hasMissed: true }))
    return () => source.close()
  }, [p, e, query, isWanted, onOpen])
  return live
}

/** The decisions of both, each once, those of the stream first. */
export function joined(
  live: readonly RecordedDecision[],
  listed: readonly RecordedDecision[],
): readonly RecordedDecision[] {
  const ids = new Set(live.map(({ id }) => id))
  return [...live, ...listed.filter(({ id }) => !ids.has(id))]
}
