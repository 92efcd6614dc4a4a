// What is under deploy/ is parsed and held against the code: names of variables, commands, ports, secrets, and that
// nothing runs as root or writes beside its volumes. The Dockerfile's own steps run in .ci/container.mjs.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { addAdministration } from '../src/cli/commands/operator-commands.ts'
import { addPlans } from '../src/cli/commands/plan-commands.ts'
import { addPolicyFiles } from '../src/cli/commands/policy-commands.ts'
import { addProposals } from '../src/cli/commands/proposals-commands.ts'
import { addTest } from '../src/cli/commands/test-command.ts'
import { Environment } from '../src/cli/configuration/env.ts'
import { variableFacts } from '../src/cli/configuration/variables/variable.ts'
import { shutdownMs } from '../src/cli/process/process.ts'
import { ENDING_MS_DEFAULT } from '../src/model/limits.ts'
import { temporaryFolder } from './support/folders.ts'
import { ROOT } from './tidy/source.ts'

const IMAGE = 'zerohop/pdp-v2:latest'
const DEPLOY = join(ROOT, 'deploy')
const variables = Object.entries(Environment.properties).flatMap(([name, schema]) => [
  name,
  ...(variableFacts(schema).aliases ?? []),
])
const commands = [...readFileSync(join(ROOT, 'src/cli/zerohop.ts'), 'utf8').matchAll(/\.command\('(\w+)'/g)].map(
  ([, name]) => name!,
)
const readme = readFileSync(join(DEPLOY, 'README.md'), 'utf8')

/** A variable that the code reads, or the file of a secret. */
function expectKnown(name: string): void {
  expect(variables, name).toContain(name.replace(/(?<=KEY|TOKEN|URL)_FILE$/, ''))
}

/** The options that appear in the arguments are options of the command line. */
function expectCommand(words: readonly string[]): void {
  expect(commands).toContain(words[0])
  for (const option of words.slice(1))
    expect(readFileSync(join(ROOT, 'src/cli/zerohop.ts'), 'utf8')).toContain(`'${option}'`)
}

interface Service {
  image: string
  build: string
  command: string[]
  read_only: boolean
  cap_drop: string[]
  security_opt: string[]
  environment: Record<string, string>
  ports: string[]
  volumes: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck: { test: string[] }
  /** in seconds */
  stop_grace_period: string
}
interface ComposeFile {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}

const composeFile = (name: string) => parse(readFileSync(join(DEPLOY, name), 'utf8'), { merge: true }) as ComposeFile

describe('deploy/compose.yaml', () => {
  const file = composeFile('compose.yaml')
  const services = Object.entries(file.services)

  it('runs an API and two PDPs, each on a port and a volume of its own', () => {
    expect(services.map(([name, { command }]) => [name, command[0]])).toEqual([
      ['api', 'api'],
      ['pdp-1', 'pdp'],
      ['pdp-2', 'pdp'],
    ])
    const ports = services.flatMap(([, { ports }]) => ports)
    expect(new Set(ports).size).toBe(3)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:(7000|8080)$/)
    const volumes = services.flatMap(([, { volumes }]) => volumes)
    for (const volume of volumes) expect(volume).toMatch(/:\/data$/)
    expect(volumes.map((volume) => volume.split(':')[0])).toEqual(Object.keys(file.volumes))
  })

  it.each(services)('%s is the image of the Dockerfile, with no rights and a read-only root', (_, service) => {
    expect([service.image, service.build, service.read_only, service.cap_drop]).toEqual([IMAGE, '..', true, ['ALL']])
    expect(service.security_opt).toContain('no-new-privileges:true')
    expectCommand(service.command)
    for (const name of Object.keys(service.environment)) expectKnown(name)
  })

  it.each(services)('%s ends before it is killed', (_, { stop_grace_period: grace }) => {
    expect(Number.parseInt(grace, 10) * 1000).toBeGreaterThan(shutdownMs(ENDING_MS_DEFAULT) + 500)
  })

  it.each(services)('%s is healthy when its own port says so', (_, { healthcheck, command }) => {
    const [, program, flag, script = ''] = healthcheck.test
    expect([program, flag]).toEqual(['node', '-e'])
    expect(script).toContain(command[0] === 'api' ? '127.0.0.1:8080/health' : '127.0.0.1:7000/ready')
    expect(() => new Function(script)).not.toThrow()
  })

  it('starts the PDPs after the API, with the one secret that both know', () => {
    const secret = file.services.api!.environment.ZEROHOP_BOOTSTRAP_KEY
    expect(secret).toMatch(/^\$\{ZEROHOP_BOOTSTRAP_KEY:\?/)
    for (const name of ['pdp-1', 'pdp-2']) {
      const { environment, depends_on } = file.services[name]!
      expect(environment.PDP_CONTROL_PLANE).toBe('http://api:8080')
      expect(environment.PDP_ORG_API_KEY).toBe(secret)
      expect(depends_on).toEqual({ api: { condition: 'service_healthy' } })
    }
  })
})

describe('deploy/compose.replicas.yaml', () => {
  const file = composeFile('compose.replicas.yaml')
  const ours = Object.entries(file.services).filter(([, { image }]) => image === IMAGE)
  const replicas = ours.filter(([, { command }]) => command[0] === 'api')
  const balancer = readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8')

  it('runs a database, three replicas, a load balancer and a PDP', () => {
    expect(Object.keys(file.services)).toEqual(['postgres', 'api-1', 'api-2', 'api-3', 'balancer', 'pdp'])
    expect(replicas.map(([name]) => name)).toEqual(['api-1', 'api-2', 'api-3'])
    const volumes = Object.values(file.services).flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0]))
    expect(volumes.filter((volume) => !volume?.startsWith('.'))).toEqual(Object.keys(file.volumes))
  })

  it.each(ours)('%s is the image of the Dockerfile, with no rights and a read-only root', (_, service) => {
    expect([service.build, service.read_only, service.cap_drop]).toEqual(['..', true, ['ALL']])
    expect(service.security_opt).toContain('no-new-privileges:true')
    expectCommand(service.command)
    for (const name of Object.keys(service.environment)) expectKnown(name)
    const [, program, flag, script = ''] = service.healthcheck.test
    expect([program, flag]).toEqual(['node', '-e'])
    expect(script).toContain(service.command[0] === 'api' ? '127.0.0.1:8080/ready' : '127.0.0.1:7000/ready')
    expect(() => new Function(script)).not.toThrow()
  })

  it('gives each replica a cache of its own, and the same database and keys, which the README names', () => {
    for (const [name, { environment, volumes, depends_on }] of replicas) {
      expect(volumes).toEqual([`${name}:/data`])
      expect(environment).toEqual(replicas[0]![1].environment)
      expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    }
    const text = readFileSync(join(DEPLOY, 'compose.replicas.yaml'), 'utf8')
    const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, variable]) => variable!))
    for (const variable of needed) expect(readme).toContain(`${variable}=$(openssl rand -hex `)
    expect(needed.size).toBe(3)
  })

  it('leads the PDP to the load balancer, and that to the replicas that are ready', () => {
    const { pdp, balancer: service } = file.services
    const { port, hostname } = new URL(pdp!.environment.PDP_CONTROL_PLANE!)
    expect(hostname).toBe('balancer')
    expect(balancer).toContain(`bind :${port}\n`)
    expect(service!.ports).toEqual([`127.0.0.1:8080:${port}`])
    expect(service!.volumes[0]).toMatch(/^\.\/haproxy\.cfg:/)
    expect(balancer).toContain('option httpchk GET /ready\n')
    const servers = [...balancer.matchAll(/^ {2}server (\S+) (\S+):8080$/gm)].map(([, name, host]) => [name, host])
    expect(servers).toEqual(replicas.map(([name]) => [name, name]))
  })
})

interface Container {
  name: string
  image: string
  args: string[]
  ports: { name: string; containerPort: number }[]
  env: { name: string; value: string }[]
  securityContext: unknown
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
  startupProbe: { httpGet: { path: string; port: string } }
  readinessProbe: { httpGet: { path: string; port: string } }
  livenessProbe: { tcpSocket: { port: string } }
}
interface Kustomization {
  resources: string[]
  patches?: { target: { kind: string; name: string }; patch: string }[]
}
interface Workload {
  kind: string
  metadata: { name: string }
  spec: {
    replicas: number
    selector: { matchLabels: Record<string, string> }
    strategy?: { rollingUpdate: unknown }
    volumeClaimTemplates?: { metadata: { name: string } }[]
    template: {
      metadata: { labels: Record<string, string> }
      spec: {
        automountServiceAccountToken: boolean
        securityContext: Record<string, unknown>
        containers: Container[]
        volumes: { name: string; secret?: { secretName: string } }[]
        terminationGracePeriodSeconds: number
      }
    }
  }
}
interface ServiceObject {
  kind: string
  metadata: { name: string }
  spec: { selector: Record<string, string>; ports: { port: number; targetPort: string }[] }
}

function readManifests(name: string) {
  const folder = join(DEPLOY, name)
  const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml')
  const objects = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
      expect(document.errors, file).toEqual([])
      return document.toJS() as { kind: string; metadata: { name: string } }
    }),
  )
  const workloads = objects.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind)) as Workload[]
  const services = objects.filter(({ kind }) => kind === 'Service') as ServiceObject[]
  const kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization
  return { files, objects, workloads, services, kustomization }
}

describe.each(['kubernetes', 'kubernetes-replicas'])('deploy/%s', (name) => {
  const { files, workloads, kustomization } = readManifests(name)

  it('is listed whole in its kustomization', () => {
    const beside = kustomization.resources.filter((resource) => !resource.startsWith('../'))
    expect(beside.sort()).toEqual([...files].sort())
  })

  it.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    '%s runs without root, rights or a root file system that can be written',
    (_, { spec: { template } }) => {
      const { securityContext, containers, automountServiceAccountToken, terminationGracePeriodSeconds } = template.spec
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(automountServiceAccountToken).toBe(false)
      expect(containers).toHaveLength(1)
      // it goes on behind its load balancer by itself, and has ended before it is killed
      const { value = ENDING_MS_DEFAULT / 1000 } =
        containers[0]!.env.find(({ name }) => name === 'ZEROHOP_DRAIN_SECONDS') ?? {}
      expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(shutdownMs(Number(value) * 1000) + 500)
      expect(containers[0]).not.toHaveProperty('lifecycle')
      expect(containers[0]!.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(containers[0]!.image).toBe(IMAGE)
    },
  )

  it.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    '%s is probed, bounded, and given only what exists',
    (_, { spec }) => {
      const { containers, volumes } = spec.template.spec
      const container = containers[0]!
      expectCommand(container.args)
      for (const { name } of container.env) expectKnown(name)
      const port = container.ports[0]!.name
      expect(container.startupProbe.httpGet.port).toBe(port)
      expect(container.readinessProbe.httpGet).toEqual({
        path: '/ready',
        port,
      })
      expect(container.livenessProbe.tcpSocket.port).toBe(port)
      expect([container.resources.requests.memory, container.resources.limits.memory]).toEqual([
        expect.any(String),
        expect.any(String),
      ])
      const there = [...volumes, ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)].map(
        ({ name }) => name,
      )
      expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual([...there].sort())
      expect(container.volumeMounts.some(({ mountPath }) => mountPath === '/data')).toBe(true)
      const secret = volumes.find((volume) => volume.secret !== undefined)!.secret!.secretName
      expect(readme).toContain(`secret generic ${secret} `)
      for (const { value } of container.env.filter(({ name }) => name.endsWith('_FILE'))) {
        expect(readme, value).toMatch(new RegExp(`--from-(literal|file)=${value.split('/').at(-1)}\\b`))
      }
    },
  )
})

describe('deploy/kubernetes', () => {
  const { workloads, services } = readManifests('kubernetes')

  it('runs one API, because a data folder has one writer, and more than one PDP', () => {
    expect(workloads.map(({ kind, metadata, spec }) => [kind, metadata.name, spec.replicas])).toEqual([
      ['StatefulSet', 'zerohop-api', 1],
      ['Deployment', 'zerohop-pdp', 2],
    ])
  })

  it('leads each service to the port of its pods, and the PDPs to the API', () => {
    for (const service of services) {
      const workload = workloads.find(({ metadata }) => metadata.name === service.metadata.name)!
      expect(service.spec.selector).toEqual(workload.spec.template.metadata.labels)
      expect(workload.spec.selector.matchLabels).toEqual(service.spec.selector)
      const container = workload.spec.template.spec.containers[0]!
      expect(service.spec.ports).toMatchObject([
        { port: container.ports[0]!.containerPort, targetPort: container.ports[0]!.name },
      ])
    }
    const env = workloads.find(({ metadata }) => metadata.name === 'zerohop-pdp')!.spec.template.spec.containers[0]!.env
    const url = new URL(env.find(({ name }) => name === 'PDP_CONTROL_PLANE')!.value)
    expect(services.map(({ metadata, spec }) => `${metadata.name}:${spec.ports[0]!.port}`)).toContain(url.host)
  })
})

describe('deploy/kubernetes-replicas', () => {
  const { objects, workloads, kustomization } = readManifests('kubernetes-replicas')
  const [api] = workloads
  const base = readManifests('kubernetes')

  it('takes the place of the one API behind its service', () => {
    expect(workloads.map(({ kind, metadata, spec }) => [kind, metadata.name, spec.replicas])).toEqual([
      ['Deployment', 'zerohop-api', 3],
    ])
    expect(kustomization.resources).toContain('../kubernetes')
    const [patch] = kustomization.patches ?? []
    const replaced = base.workloads.find(
      ({ kind, metadata }) => kind === patch?.target.kind && metadata.name === patch.target.name,
    )
    expect(parse(patch!.patch)).toEqual({
      $patch: 'delete',
      apiVersion: 'apps/v1',
      kind: replaced?.kind,
      metadata: { name: replaced?.metadata.name },
    })
    const service = base.services.find(({ metadata }) => metadata.name === 'zerohop-api')!
    expect(api!.spec.template.metadata.labels).toEqual(service.spec.selector)
    expect(service.spec.ports[0]!.targetPort).toBe(api!.spec.template.spec.containers[0]!.ports[0]!.name)
  })

  it('has a database and one secrets key for all, and nothing that must not be lost', () => {
    const { containers, volumes } = api!.spec.template.spec
    const names = containers[0]!.env.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['ZEROHOP_DATABASE_URL_FILE', 'ZEROHOP_SECRETS_KEY_FILE']))
    expect(api!.spec.volumeClaimTemplates).toBeUndefined()
    expect(volumes.find(({ name }) => name === 'data')).toEqual({ name: 'data', emptyDir: {} })
  })

  it('updates and drains without a pod too few', () => {
    expect(api!.spec.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget') as unknown as {
      spec: { minAvailable: number; selector: unknown }
    }
    expect(budget.spec).toEqual({ minAvailable: api!.spec.replicas - 1, selector: api!.spec.selector })
  })
})

describe('policies in git', () => {
  const program = new Command('zerohop')
  for (const add of [addPolicyFiles, addTest, addPlans, addProposals, addAdministration]) add(program)
  const action = readFileSync(join(DEPLOY, 'github-action/action.yml'), 'utf8')
  const pages = ['docs/plan-and-apply.md', 'docs/production.md', 'deploy/README.md']
  const chapter = pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n')

  it.each([
    ['the GitHub action', action, /zerohop@\$VERSION" ([^>\n]*)/g, ['validate', 'test', 'plan']],
    [
      'the manual',
      chapter,
      /^(?: *- run: )?(?:\w+=\S+ )*(?:npx --yes )?zerohop(?:@\w+)? ([^>#\n]*)/gm,
      ['apply', 'diff', 'fmt', 'plan'],
    ],
  ] as const)('%s has commands and options that exist', (_, text, lines, wanted) => {
    const found = [...text.matchAll(lines)].map(([, line = '']) => line.trim().split(/\s+/))
    for (const [name, ...words] of found) {
      const command = program.commands.find((each) => each.name() === name)
      expect(command?.name(), name).toBe(name)
      const options = [command!, ...command!.commands].flatMap((each) => each.options.map(({ long }) => long))
      for (const word of words.join(' ').match(/--[a-z-]+/g) ?? []) expect(options, name).toContain(word)
    }
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining([...wanted]))
  })

  it('the action takes the inputs that its example in the README gives', () => {
    const { inputs } = parse(action) as { inputs: Record<string, unknown> }
    const [, example = ''] = /uses: \.\/deploy\/github-action.*\n +with:\n((?: +[\w-]+:.*\n)+)/.exec(readme) ?? []
    const given = Object.keys(parse(example) as object)
    expect(given).toContain('api-key')
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(given))
  })
})

const withoutTerraform = spawnSync('terraform', ['version'], { stdio: 'ignore' }).status !== 0

// skipped where Terraform is not installed
describe.skipIf(withoutTerraform)('terraform', () => {
  it('applies the policy files when one of them changed, and then only', () => {
    const folder = temporaryFolder('terraform')
    const applied = join(folder, 'applied')
    writeFileSync(join(folder, 'zerohop'), `#!/bin/sh\necho "$@" >>"${applied}"\n`, { mode: 0o755 })
    writeFileSync(join(folder, 'main.tf'), readFileSync(join(DEPLOY, 'terraform/main.tf')))
    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, CHECKPOINT_DISABLE: '1' }
    const terraform = (...args: string[]): number | null =>
      spawnSync('terraform', args, { cwd: folder, env, stdio: 'ignore' }).status
    writeFileSync(join(folder, 'policy.yaml'), 'zerohop: 2\n')
    expect([terraform('init'), terraform('apply', '-auto-approve')]).toEqual([0, 0])
    expect(terraform('plan', '-detailed-exitcode')).toBe(0)
    writeFileSync(join(folder, 'policy.yaml'), 'zerohop: 2\nroles: []\n')
    expect(terraform('apply', '-auto-approve', '-var', 'prune=true')).toBe(0)
    expect(readFileSync(applied, 'utf8')).toBe('apply --yes\napply --yes --prune\n')
  })
})
