// Rules that give roles to members of groups of a directory: /v2/facts/{p}/{e}/group_rules. A plan says who would gain and
// lose what before a rule is saved.
import type { FastifyInstance } from 'fastify'
import type { Planner } from '../../../management/plan/planner.ts'
import { planRead } from '../../../management/plan/render-plan.ts'
import {
  GroupRuleCreate,
  GroupRulePlan,
  GroupRuleRead,
  GroupRuleReplace,
  GroupRuleUpdate,
} from '../../../management/schemas/group-rules.ts'
import { Plan } from '../../../management/schemas/plan.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { describe } from '../../description.ts'
import { everyObject, paged } from '../collection-pages.ts'
import { collectionRoutes, FACTS } from '../collection-routes.ts'
import { groupRuleRead } from '../render/facts.ts'
import type { RouteContext } from '../route-context.ts'

const RULES = '/v2/facts/:p/:e/group_rules'

export function groupRuleRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: `${RULES}/:ref`,
    tag: 'group_rules',
    noun: 'group rule',
    operations: FACTS,
    kind: 'group_rule',
    find: ({ view, ref }) => view().require('group_rule', ref),
    answer: GroupRuleRead,
    print: ({ scope }, rules) => rules.map((rule) => groupRuleRead(scope, rule)),
    list: {
      query: PageQuery,
      form: 'page',
      rows: async ({ view }, page) => paged(everyObject(view, 'group_rule'), page),
    },
    create: { body: GroupRuleCreate, useCase: 'createGroupRule' },
    update: { body: GroupRuleUpdate, useCase: 'updateGroupRule' },
    replace: { body: GroupRuleReplace, useCase: 'replaceGroupRule' },
    remove: 'deleteGroupRule',
  })
}

/** The plan of a rule needs the thread that makes plans. */
export function groupRulePlanRoute(app: FastifyInstance, { gate }: RouteContext, planner: Planner): void {
  app.post<{ Body: GroupRulePlan }>(
    `${RULES}/plan`,
    describe({ operation: 'facts.read', tag: 'group_rules' }, 'Plan a rule for groups of a directory', {
      body: GroupRulePlan,
      response: { 200: Plan },
    }),
    async ({ scope, caller, body: { page, ...groupRule } }) => {
      const environment = scope.environment.id
      const plan = await planner.plan({ environment, now: Date.now(), groupRule, page })
      const control = gate.control(caller)
      return planRead(plan, (id) => control.find('api_key', id)?.name ?? null)
    },
  )
}
