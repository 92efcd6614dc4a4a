// Rows about roles of tenants (D18): what a check costs that such a role decides, and what the image, its loading, explanations
// and counts cost where each tenant has some, beside the same users with roles of the environment.
import { runChild } from '../child.mjs'
import { ROLES_OF_TENANT } from '../tenant-roles-world.mjs'

const SIZES = {
  full: { tenants: 10_000, questions: 2_000, rounds: 60 },
  quick: { tenants: 10_000, questions: 2_000, rounds: 12 },
  tiny: { tenants: 20, questions: 40, rounds: 2 },
}
const PEER = 'the same with roles of the environment'

export async function measureTenantRoles(results, { effort, progress }) {
  const sizes = SIZES[effort]
  const among = `${sizes.tenants.toLocaleString('en-US')} tenants with ${ROLES_OF_TENANT} roles each`
  progress(`tenant-roles: ${among}`)
  const { result, failure } = await runChild('./figures/tenant-roles-work.mjs', sizes)
  if (failure) throw new Error(`tenant-roles: ${failure}`)
  for (const { isAllowed, ns, ratio } of result.checks)
    results.addFigure({
      name: `a check ${isAllowed ? 'allowed' : 'denied'} by a role of a tenant, ${among}`,
      ...{ value: ns, unit: 'ns', peer: PEER, ratio },
    })
  results.addFigure({ name: 'bytes of an image for each role of a tenant', value: result.bytes, unit: 'bytes' })
  for (const [what, { own, ofEnvironment }] of Object.entries(result.others))
    results.addFigure({
      name: `${what}, ${among}`,
      ...{ value: own, unit: 'ms', peer: PEER, ratio: own / ofEnvironment },
    })
}
