// Proposals: /v2/projects/{p}/envs/{e}/proposals. One proposes changes of the policy, another one looks at the plan and
// applies or rejects them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Party, PROPOSAL_STATES, type Proposal } from '../../../kinds/proposal.ts'
import { applyInto } from '../../../management/plan/apply.ts'
import type { MadePlan } from '../../../management/plan/plan-task.ts'
import type { Planner } from '../../../management/plan/planner.ts'
import { readExpected, requireOthers } from '../../../management/plan/proposals.ts'
import { planRead } from '../../../management/plan/render-plan.ts'
import type { ApplyInput } from '../../../management/plan/use-cases.ts'
import { actorId } from '../../../management/rules/actor.ts'
import { findParty } from '../../../management/rules/parties.ts'
import { Plan } from '../../../management/schemas/plan.ts'
import {
  ProposalApply,
  ProposalCreate,
  ProposalEnd,
  ProposalPlanRequest,
  ProposalQuery,
  ProposalRead,
  ProposalRow,
} from '../../../management/schemas/proposals.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { describe } from '../../description.ts'
import { type Query, readTexts } from '../../page.ts'
import { everyObject, filtered } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { proposalRead, proposalRow } from '../render/proposals.ts'
import { askedWith, type RouteContext, requestActor, requestView, withoutBody, write } from '../route-context.ts'
import { addWarnings } from '../warning-header.ts'

const PROPOSALS = '/v2/projects/:p/envs/:e/proposals'
const PROPOSAL = `${PROPOSALS}/:proposal`
const reading = { operation: 'proposal.read', tag: 'environments' } as const
const writing = { operation: 'proposal.write', tag: 'environments' } as const
type Named<B = unknown> = { Params: { proposal: string }; Body: B }

export function proposalRoutes(app: FastifyInstance, management: RouteContext, planner: Planner): void {
  const { gate } = management
  listRoute(app, management, {
    path: PROPOSALS,
    tag: 'environments',
    summary: 'List proposals',
    operation: 'proposal.read',
    query: ProposalQuery,
    form: 'page',
    rows: ({ view, query }, page) => {
      const states = readStates(query)
      const fits = ({ state }: Proposal) => states.length === 0 || states.includes(state)
      return filtered(everyObject(view, 'proposal'), [{ fits }], page, true)
    },
    answer: ProposalRow,
    print: ({ view, request }, proposals) => {
      const reader = findReader(management, request)
      return proposals.map((proposal) => proposalRow(view(), proposal, reader))
    },
  })
  app.post<{ Body: ProposalCreate }>(
    PROPOSALS,
    {
      ...describe(writing, 'Propose a policy or changes', { body: ProposalCreate, response: { 201: ProposalRead } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    async (request, reply) => {
      const environment = request.scope.environment.id
      const { revision, entries, more, fingerprints, diff } = await planner.plan({
        environment,
        now: Date.now(),
        ...request.body,
      })
      const plan = { revision, entries, more, fingerprints, diff }
      const input = { ...readAsker(management, request, 'createProposal'), request: request.body, plan }
      const proposal = await write(management, request, reply, 'createProposal', input)
      return reply.code(201).send(answer(management, request, proposal))
    },
  )
  app.get<Named>(PROPOSAL, describe(reading, 'Read a proposal', { response: { 200: ProposalRead } }), async (request) =>
    answer(management, request, find(management, request)),
  )
  app.post<Named<ProposalPlanRequest>>(
    `${PROPOSAL}/plan`,
    describe(reading, 'Plan a proposal', { body: ProposalPlanRequest, response: { 200: Plan } }),
    async (request) => {
      const environment = request.scope.environment.id
      const proposed = find(management, request).request as ProposalCreate
      const { page } = request.body
      const plan = await planner.plan({ environment, now: Date.now(), ...proposed, page })
      return read(gate, request, plan)
    },
  )
  for (const [name, useCase, summary] of ENDS)
    app.post<Named>(
      `${PROPOSAL}/${name}`,
      {
        ...describe({ ...writing, bodyIsOptional: true }, summary, {
          body: ProposalEnd,
          response: { 200: ProposalRead },
        }),
        preValidation: withoutBody,
      },
      async (request, reply) => {
        const input = { ref: request.params.proposal, ...readAsker(management, request, useCase) }
        const closed = await write(management, request, reply, useCase, input)
        return answer(management, request, closed)
      },
    )
  applyRoute(app, management, planner)
}

const ENDS = [
  ['reject', 'rejectProposal', 'Reject a proposal'],
  ['withdraw', 'withdrawProposal', 'Withdraw a proposal'],
] as const

function applyRoute(app: FastifyInstance, management: RouteContext, planner: Planner): void {
  const { store, gate } = management
  app.post<Named<ProposalApply>>(
    `${PROPOSAL}/apply`,
    {
      ...describe(writing, 'Apply a proposal', { body: ProposalApply, response: { 200: Plan } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    async (request, reply) => {
      const environment = request.scope.environment.id
      const asked = readAsker(management, request, 'applyProposal')
      const ending = { ref: request.params.proposal, ...asked }
      // refused before anything is compared; the writer looks again
      const proposal = requireOthers(requestView(management, request), ending)
      const { fingerprints } = proposal
      const actor = requestActor(request, 'applyProposal')
      // the reason of the proposal is that of its revision, unless whoever applies it says another
      const by = { ...given(proposal), ...actor }
      const asking = askedWith(management, request)
      const commit = async (plan: ApplyInput) => {
        const committed = await store.commit(environment, 'applyProposal', { ending, plan }, by, asking)
        addWarnings(reply, committed.warnings)
        return committed
      }
      const { expected, force } = request.body
      const wanted = proposal.request as ProposalCreate
      const into = { planner, environment, by: actorId(by), now: () => Date.now(), commit }
      const applied = await applyInto(into, {
        ...wanted,
        fingerprints,
        expected: expected ?? readExpected(proposal),
        force,
      })
      reply.header('x-revision', String(applied.revision))
      return read(gate, request, applied)
    },
  )
}

function read(gate: RouteContext['gate'], request: FastifyRequest, plan: MadePlan): Plan {
  const control = gate.control(request.caller)
  return planRead(plan, (id) => control.find('api_key', id)?.name ?? null)
}

/** @throws OBJECT_NOT_FOUND */
const find = (management: RouteContext, request: FastifyRequest<Named<never>>): Proposal =>
  requestView(management, request).require('proposal', request.params.proposal)

const findReader = ({ gate }: RouteContext, request: FastifyRequest): Party =>
  findParty(gate.control(request.caller), requestActor(request, 'readProposal'))

const answer = (management: RouteContext, request: FastifyRequest, proposal: Proposal) =>
  proposalRead(requestView(management, request), proposal, findReader(management, request))

/** Who asks, and why. */
function readAsker({ gate }: RouteContext, request: FastifyRequest, operation: string) {
  const by = requestActor(request, operation)
  return { party: findParty(gate.control(request.caller), by), ...given(by) }
}

const given = ({ reason, ticket }: { readonly reason?: string; readonly ticket?: string }) => ({
  ...(reason === undefined ? {} : { reason }),
  ...(ticket === undefined ? {} : { ticket }),
})

/** @throws INPUT_INVALID */
function readStates(query: Query): readonly string[] {
  const states = readTexts(query, 'state')
  const unknown = states.find((state) => !PROPOSAL_STATES.some((one) => one === state))
  if (unknown === undefined) return states
  const reason = `a state is one of ${PROPOSAL_STATES.join(', ')}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'state'] })
}
