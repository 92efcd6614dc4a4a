// A recorded decision asked again: POST /v2/pdps/{p}/{e}/audit_logs/{id}/replay. The record says what was asked; the
// image of its revision says what it answered, and the present whether it would be the same.
import type { FastifyInstance } from 'fastify'
import { sayTurn } from '../../../image/explain/why-words.ts'
import type { PastRevisions } from '../../../management/past/past-revisions.ts'
import { type Cause, type Replay, replay } from '../../../management/past/replay.ts'
import { actorId, actorName } from '../../../management/rules/actor.ts'
import { DecisionReplay } from '../../../management/schemas/past.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { parseId } from '../../../model/keys.ts'
import { withInstants } from '../../../model/print-time.ts'
import type { Explanation } from '../../../pdp/pdp.ts'
import { describe } from '../../description.ts'
import { shortReason } from '../../pdp/record-decision.ts'
import { printTime } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'

const config = { operation: 'decision.explain', tag: 'PDPs' } as const

export function replayRoutes(app: FastifyInstance, { store, audit }: RouteContext, past: PastRevisions): void {
  app.post<{ Params: { log: string } }>(
    '/v2/pdps/:p/:e/audit_logs/:log/replay',
    describe(config, 'Replay a recorded decision', { response: { 200: DecisionReplay } }),
    async ({ scope, params, caller }) => {
      const environment = scope.environment.id
      const id = parseId(params.log)
      const record = id === undefined ? undefined : await audit.find(environment, id)
      if (record === undefined)
        throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'recorded decision', ref: params.log })
      const replayed = await replay({ store, past }, environment, record, Date.now())
      const control = store.view(caller.organization)
      const causes = replayed.today.causes.map((cause) =>
        causeRead(cause, cause.actor && actorName(control, cause.actor)),
      )
      return { id: record.id, recorded: record.decision, ...printed(replayed, causes) }
    },
  )
}

function printed(
  { isReproducible, missing, found, explanation, why, agrees, today }: Replay,
  causes: DecisionReplay['today']['causes'],
): Omit<DecisionReplay, 'id' | 'recorded'> {
  return {
    reproducible: isReproducible,
    missing,
    agrees,
    revision: found.revision,
    revision_at: printTime(found.at),
    allow: explanation.allow,
    reason: shortReason(explanation),
    explanation: plain(explanation),
    why,
    today: {
      revision: today.revision,
      answer: today.answer,
      changed_by: today.changedBy,
      causes,
      changes: today.count,
      complete: today.isComplete,
      missing: today.missing,
    },
  }
}

const causeRead = ({ revision, answer, at, by, actor, grants }: Cause, name: string | undefined) => ({
  revision,
  answer,
  by,
  at: printTime(at),
  actor_id: actor === undefined ? null : actorId(actor),
  actor_display_name: name ?? 'time',
  operation: actor?.operation ?? 'time',
  because: grants.map((grant) => sayTurn(grant, at)),
})

/** As it is in JSON. */
function plain({ because, not_in_force, ...explanation }: Explanation): DecisionReplay['explanation'] {
  const inTime = { because: because.map(withInstants), not_in_force: not_in_force.map(withInstants) }
  return { ...explanation, ...inTime } as unknown as DecisionReplay['explanation']
}
