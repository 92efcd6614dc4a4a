// The row of policy tests: a run of ten thousand expectations in one file, from the texts of the files to the results,
// as `zerohop test` does after it has read them.
import { median } from '../sampling.mjs'

const EXPECTATIONS = { full: 10_000, quick: 10_000, tiny: 100 }
const ROUNDS = { full: 7, quick: 3, tiny: 1 }

const ACTIONS = ['read', 'write', 'approve', 'delete']
const TYPES = 50
const ROLES = 20
const USERS = 200

export async function measurePolicyTests(results, { effort, progress }) {
  const { runTests } = await import('../../dist/src/policy-test/run-tests.js')
  progress('policy tests: a file of expectations')
  const policy = [{ name: 'policy.yaml', text: policyText() }]
  const count = EXPECTATIONS[effort]
  const tests = [{ name: 'tests.yaml', text: testText(count) }]
  const times = []
  for (let round = 0; round < ROUNDS[effort]; round++) {
    const begun = performance.now()
    const { problems, files } = runTests(policy, tests, { now: 0 })
    times.push(performance.now() - begun)
    const met = files[0].results.filter(({ failure }) => failure === undefined).length
    if (problems.length > 0 || met !== count) throw new Error(`${met} of ${count} expectations are met`)
  }
  results.addFigure({
    name: `policy-test: ${count} expectations of one file, from text to results`,
    value: median(times),
    unit: 'ms',
    below: 1_000,
  })
}

/** Role r has the action r mod 4 on every type. */
function policyText() {
  const actions = ACTIONS.map((action) => `${action}: {}`).join(', ')
  const resources = numbers(TYPES).map((type) => `  - { key: type${type}, actions: { ${actions} } }`)
  const roles = numbers(ROLES).map((role) => {
    const permissions = numbers(TYPES).map((type) => `'type${type}:${ACTIONS[role % ACTIONS.length]}'`)
    return `  - { key: role${role}, permissions: [${permissions.join(', ')}] }`
  })
  return ['zerohop: 2', 'resources:', ...resources, 'roles:', ...roles, ''].join('\n')
}

function testText(count) {
  const users = numbers(USERS).map((user) => `    - { key: user${user} }`)
  const assignments = numbers(USERS).map(
    (user) => `    - { user: user${user}, role: role${user % ROLES}, tenant: acme }`,
  )
  const lines = numbers(count).map((at) => {
    const user = at % USERS
    const action = Math.floor(at / USERS) % ACTIONS.length
    const may = action === (user % ROLES) % ACTIONS.length ? 'may' : 'may not'
    return `  - user${user} ${may} ${ACTIONS[action]} type${at % TYPES} in acme`
  })
  const facts = ['facts:', '  tenants: [{ key: acme }]', '  users:', ...users, '  role_assignments:', ...assignments]
  return [...facts, 'expect:', ...lines, ''].join('\n')
}

const numbers = (count) => Array.from({ length: count }, (_, at) => at)
