// Management rows about a user in very many tenants: reading it, which prints every tenant and role, and deleting it,
// which removes an assignment and a membership for each, on disk when it is answered.
import { median } from '../sampling.mjs'
import { ASSIGNMENTS_PER_CALL, pieces, using } from './api-million.mjs'
import { withServers } from './servers.mjs'

const TENANTS_PER_CALL = 2_000
const BUDGET_MS = 20

export async function measureLargeUser(results, { effort, progress }) {
  const plan = {
    full: { tenants: 10_000, reads: 31, users: 5 },
    quick: { tenants: 10_000, reads: 11, users: 3 },
    tiny: { tenants: 50, reads: 2, users: 1 },
  }[effort]
  const { tenants, reads, users } = plan
  await withServers(async (servers) => {
    await using(await servers.api(), async (api) => {
      const count = tenants.toLocaleString('en-US')
      progress(`api: users in ${count} tenants`)
      await prepare(api, plan)
      const read = await times(reads, () => api.ask('GET', '$F/users/large-0'))
      results.addFigure({ name: `GET a user in ${count} tenants`, value: median(read), unit: 'ms', most: BUDGET_MS })
      const gone = await times(users, (at) => api.ask('DELETE', `$F/users/large-${at}`))
      results.addFigure({ name: `DELETE a user in ${count} tenants`, value: median(gone), unit: 'ms', most: BUDGET_MS })
    })
  })
}

async function prepare(api, { tenants, users }) {
  await api.ask('POST', '$S/roles', { key: 'guest', name: 'guest' })
  const tenant = (at) => ({ key: `tenant-${at}`, name: `Tenant ${at}` })
  for (const operations of pieces(tenants, TENANTS_PER_CALL, tenant))
    await api.ask('POST', '$F/bulk/tenants', { operations })
  for (let user = 0; user < users; user++) {
    await api.ask('POST', '$F/users', { key: `large-${user}` })
    const given = (at) => ({ user: `large-${user}`, role: 'guest', tenant: `tenant-${at}` })
    for (const piece of pieces(tenants, ASSIGNMENTS_PER_CALL, given))
      await api.ask('POST', '$F/role_assignments/bulk', piece)
  }
}

/** How long each call of `work` took, in ms. */
async function times(rounds, work) {
  const taken = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    await work(round)
    taken.push(performance.now() - start)
  }
  return taken
}
