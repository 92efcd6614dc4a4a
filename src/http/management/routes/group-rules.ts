// Groups of a directory: /v2/facts/{p}/{e}/directory_groups, and rules that give roles to their members: …/group_rules. A
// plan says who would gain and lose what before a rule is saved.
import type { FastifyInstance } from 'fastify'
import type { DirectoryGroup } from '../../../kinds/directory-group.ts'
import { type GroupRule, selectsGroup } from '../../../kinds/group-rule.ts'
import { countSelected } from '../../../management/objects/group-rules.ts'
import type { Planner } from '../../../management/plan/planner.ts'
import { planRead } from '../../../management/plan/render-plan.ts'
import {
  DirectoryGroupRead,
  DirectoryGroupsQuery,
  GroupRuleCreate,
  GroupRulePlan,
  GroupRuleRead,
  GroupRuleReplace,
  GroupRuleUpdate,
} from '../../../management/schemas/group-rules.ts'
import { Plan } from '../../../management/schemas/plan.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import type { View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { readText } from '../../page.ts'
import { everyObject, matcher, paged, searched } from '../collection-pages.ts'
import { collectionRoutes, FACTS, listRoute } from '../collection-routes.ts'
import { groupRuleRead } from '../render/facts.ts'
import { times } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'

const RULES = '/v2/facts/:p/:e/group_rules'

export function groupRuleRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: `${RULES}/:ref`,
    tag: 'group_rules',
    noun: 'group rule',
    operations: FACTS,
    tagged: 'group_rule',
    find: ({ view, ref }) => view().require('group_rule', ref),
    answer: GroupRuleRead,
    print: ({ scope, view }, rules) =>
      rules.map((rule) => groupRuleRead(scope, rule, countSelected(view(), rule.group))),
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
  listRoute(app, management, {
    path: '/v2/facts/:p/:e/directory_groups',
    tag: 'group_rules',
    summary: 'List groups of a directory',
    operation: 'facts.read',
    query: DirectoryGroupsQuery,
    form: 'page',
    rows: ({ query, view }, page, counted) => {
      const all = everyObject(view, 'directory_group')
      const text = readText(query, 'search')
      if (text === undefined) return Promise.resolve(paged(all, page))
      const finds = matcher(text)
      const pick = (one: DirectoryGroup) => (finds(one.display_name, one.external_id) ? one : undefined)
      return searched(all, page, pick, counted)
    },
    answer: DirectoryGroupRead,
    print({ view }, groups) {
      const rules = [...view().list('group_rule')]
      return groups.map((group) => directoryGroupRead(view(), group, rules))
    },
  })
}

function directoryGroupRead(view: View, group: DirectoryGroup, all: readonly GroupRule[]): DirectoryGroupRead {
  const { id, display_name, external_id } = group
  const members = view.countBy('members_of_directory_group', id)
  const rules = all.filter((rule) => selectsGroup(rule.group, group)).length
  return { id, display_name, external_id, members, rules, ...times(group) }
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
