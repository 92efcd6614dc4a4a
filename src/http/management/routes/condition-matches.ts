// Who or what a condition set matches now: POST /v2/projects/{p}/envs/{e}/condition-matches.
import type { FastifyInstance } from 'fastify'
import type { Planner } from '../../../management/plan/planner.ts'
import { ConditionMatches, ConditionMatchQuestion } from '../../../management/schemas/condition-matches.ts'
import { describe } from '../../description.ts'

export function conditionMatchRoute(app: FastifyInstance, planner: Planner): void {
  app.post<{ Body: ConditionMatchQuestion }>(
    '/v2/projects/:p/envs/:e/condition-matches',
    describe({ operation: 'decision.explain', tag: 'environments' }, 'List the matches of a condition set', {
      body: ConditionMatchQuestion,
      response: { 200: ConditionMatches },
    }),
    async ({ scope, body }, reply) => {
      const found = await planner.match({ environment: scope.environment.id, now: Date.now(), matched: body })
      reply.header('x-revision', String(found.revision))
      return found
    },
  )
}
