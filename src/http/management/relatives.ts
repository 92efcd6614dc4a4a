// Pages of what stands above or below an object: the nearest first, and among those that are equally near in the order of
// creation.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KindName, Objects } from '../../kinds/index.ts'
import type { StoredView } from '../../store/view.ts'
import type { Query } from '../page.ts'
import type { At } from './collection-pages.ts'
import { askedPage, nextCursor } from './cursors.ts'
import { comparePositions, ordered } from './ordered-rows.ts'
import type { RouteContext } from './route-context.ts'

/**
 * Relatives with their positions.
 * @param steps how far away each is
 * @param keyOf the key of an object by its name there
 */
export function placeRelatives<K extends KindName>(
  view: StoredView,
  kind: K,
  steps: ReadonlyMap<string, number>,
  keyOf = (name: string): string => name,
): At<Objects[K]>[] {
  const rows = Array.from(steps, ([name, away]) => {
    const key = keyOf(name)
    return { row: view.require(kind, key), at: [away, view.findPlace(kind, key) ?? 0] }
  })
  return rows.sort((one, other) => comparePositions(one.at, other.at))
}

/** All of a list that is bounded by itself, or the page that was asked for. */
export function familyPage<R>(
  { store }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: readonly At<R>[],
): readonly R[] {
  const { page, per_page, after } = request.query as Query // as Fastify parses it
  if ([page, per_page, after].every((sent) => sent === undefined)) return rows.map(({ row }) => row)
  const { rows: shown, ...end } = ordered(rows, askedPage(store, request))
  nextCursor(store, request, reply, end)
  return shown
}
