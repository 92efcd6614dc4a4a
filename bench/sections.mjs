// The parts of a run by name, as `--only` takes them, in the order in which a run takes them: what has a budget first,
// the peers last.
import { measureChecks, measurePeers } from './checks.mjs'
import { measureAccessDiff } from './figures/access-diff.mjs'
import { measureAccessRequests } from './figures/access-requests.mjs'
import { measureAccessReview } from './figures/access-review.mjs'
import { measureApi } from './figures/api.mjs'
import { measureConditional } from './figures/conditional.mjs'
import { measureConsole } from './figures/console.mjs'
import { measureCurves } from './figures/curves.mjs'
import { measureDeltas } from './figures/delta.mjs'
import { measureEnvironments } from './figures/environments.mjs'
import { measureEverybody } from './figures/everybody.mjs'
import { measureFacts } from './figures/facts.mjs'
import { measureFilters } from './figures/filters.mjs'
import { measureHttp } from './figures/http.mjs'
import { measureImage } from './figures/image.mjs'
import { measureImports } from './figures/imports.mjs'
import { measureLastUsed } from './figures/last-used.mjs'
import { measurePdp } from './figures/pdp.mjs'
import { measurePermissions } from './figures/permissions.mjs'
import { measurePlans } from './figures/plan.mjs'
import { measurePolicyTests } from './figures/policy-tests.mjs'
import { measureReplicas } from './figures/replicas.mjs'
import { measureShadow } from './figures/shadow.mjs'
import { measureShapes } from './figures/shapes.mjs'
import { measureStart } from './figures/start.mjs'
import { measureTenantRoles } from './figures/tenant-roles.mjs'
import { measureTimes } from './figures/times.mjs'
import { measureVersions } from './figures/versions.mjs'

/** The longest of the figure sections takes so long on a quiet machine. */
const FIGURES_MS_MIN = 15_000
const FIGURES = {
  image: measureImage,
  facts: measureFacts,
  permissions: measurePermissions,
  times: measureTimes,
  conditional: measureConditional,
  everybody: measureEverybody,
  'tenant-roles': measureTenantRoles,
  'last-used': measureLastUsed,
  'access-requests': measureAccessRequests,
  versions: measureVersions,
  delta: measureDeltas,
  http: measureHttp,
  api: measureApi,
  pdp: measurePdp,
  start: measureStart,
  filters: measureFilters,
  shadow: measureShadow,
  'policy-test': measurePolicyTests,
  'access-diff': measureAccessDiff,
  'access-review': measureAccessReview,
  plan: measurePlans,
  replicas: measureReplicas,
  console: measureConsole,
  shapes: measureShapes,
  environments: measureEnvironments,
  imports: measureImports,
  curves: measureCurves,
}

/** The names of what is measured beside checks. */
export const listParts = () => Object.keys(FIGURES)

/**
 * @param {string[]} sections
 * @param {import('./results.mjs').Results} results
 * @param {{ effort: 'full' | 'quick' | 'tiny', progress: (text: string) => void, remainingMs: () => number,
 * facts?: number[], against?: string }} context `facts`: the sizes of the curves; `against`: the folder of an older version
 */
export async function measureAll(sections, results, context) {
  const workloads = sections.filter((section) => !(section in FIGURES))
  for (const workload of workloads) await measureChecks(workload, results, context)
  for (const section of sections.filter((name) => name in FIGURES)) {
    if (context.remainingMs() > FIGURES_MS_MIN) await FIGURES[section](results, context)
    else results.note(`${section}: left out, the time of --quick is used up`)
  }
  if (context.effort === 'tiny') return
  for (const workload of workloads) await measurePeers(workload, results, context)
}
