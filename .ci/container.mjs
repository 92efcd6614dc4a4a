// Shows that the container is real: builds the image, runs `serve` in it and a PDP (the default command) that follows
// it, asks both. Where no container engine runs, the steps of the Dockerfile itself are executed in an empty folder,
// and that is said: the base image, the user and the network are then those of this machine, all else is the same.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { parseDockerfile } from './dockerfile.mjs'

const READY_MS = 30_000
const STOP_MS = 10_000
const IMAGE = 'zerohop/pdp-v2:ci'

const engine = ['docker', 'podman'].find(
  (name) => spawnSync(name, ['info'], { stdio: 'ignore', timeout: 20_000 }).status === 0,
)
console.log(
  engine
    ? `container: ${engine} builds and runs ${IMAGE}`
    : "container: no container engine runs here, so the Dockerfile's own steps run in an empty folder",
)
const container = engine ? withEngine(engine) : withoutEngine()
try {
  await story(container)
  console.log('container: serve and pdp answer, are healthy, and stop on SIGTERM')
} catch (error) {
  console.error(`container: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  await container.remove()
}

/**
 * The steps of an operator: start everything, ask, start another PDP, ask that, stop the first, ask the second again.
 */
async function story({ start }) {
  const serve = await start(['serve'], {})
  await answersOk(`${serve.pdp}/health`, serve)
  const key = JSON.parse(serve.read('/data/keys.json')).environments.development
  await asks(serve.pdp, key)
  serve.healthcheck()

  const pdp = await start([], { PDP_API_KEY: key, PDP_CONTROL_PLANE: serve.apiFromContainers })
  await answersOk(`${pdp.pdp}/health`, pdp)
  await asks(pdp.pdp, key)
  pdp.healthcheck()

  await serve.stop()
  await asks(pdp.pdp, key)
  await pdp.stop()
}

async function asks(url, key) {
  for (const [user, allow] of [
    ['ana', true],
    ['ben', false],
  ]) {
    const answer = await fetch(`${url}/allowed`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: { key: user }, action: 'say', resource: { type: 'hello', tenant: 'default' } }),
    })
    const body = await answer.json()
    if (answer.status !== 200 || body.allow !== allow) {
      throw new Error(`${url}: ${user} may say hello should be ${allow}, got ${answer.status} ${JSON.stringify(body)}`)
    }
  }
}

async function answersOk(url, process_) {
  const until = Date.now() + READY_MS
  let last = 'no answer'
  while (Date.now() < until) {
    const ended = process_.ended()
    if (ended !== undefined) throw new Error(`the process ended early: ${ended}\n${process_.log()}`)
    const status = await fetch(url).then(
      (answer) => answer.status,
      (error) => String(error.cause ?? error),
    )
    if (status === 200) return
    last = `status ${status}`
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} is not ok after ${READY_MS} ms (${last})\n${process_.log()}`)
}

// ── with an engine ───────────────────────────────────────────────────────────────────────────────────────────────────

function withEngine(name) {
  const run = (...args) => {
    const done = spawnSync(name, args, { encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`${name} ${args.join(' ')}: ${done.stderr}`)
    return done.stdout.trim()
  }
  const network = `zerohop-ci-${process.pid}`
  const started = []
  let built = false
  return {
    async start(command, env) {
      if (!built) {
        if (spawnSync(name, ['build', '-t', IMAGE, '.'], { stdio: 'inherit' }).status !== 0)
          throw new Error('the image does not build')
        run('network', 'create', network)
        built = true
      }
      const id = `${network}-${started.length}`
      const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
      run('run', '-d', '--name', id, '--network', network, '-p', '127.0.0.1::7000', ...variables, IMAGE, ...command)
      started.push(id)
      if (run('exec', id, 'id', '-u') === '0') throw new Error('the container runs as root')
      const inside = (words) => run('exec', id, ...words)
      return {
        pdp: `http://${run('port', id, '7000').split('\n')[0]}`,
        apiFromContainers: `http://${id}:8080`,
        read: (path) => inside(['cat', path]),
        healthcheck: () => inside(healthcheck().words),
        ended: () => (run('inspect', '-f', '{{.State.Running}}', id) === 'true' ? undefined : 'not running'),
        log: () => spawnSync(name, ['logs', '--tail', '50', id], { encoding: 'utf8' }).stderr,
        stop: async () => {
          run('stop', '-t', String(STOP_MS / 1000), id)
          const code = run('inspect', '-f', '{{.State.ExitCode}}', id)
          if (code !== '0') throw new Error(`exit code ${code} after SIGTERM`)
        },
      }
    },
    async remove() {
      for (const id of started) spawnSync(name, ['rm', '-f', '-v', id], { stdio: 'ignore' })
      spawnSync(name, ['network', 'rm', network], { stdio: 'ignore' })
    },
  }
}

// ── without an engine ────────────────────────────────────────────────────────────────────────────────────────────────

function withoutEngine() {
  const root = mkdtempSync(join(tmpdir(), 'zerohop-container-'))
  const running = []
  let built
  return {
    async start(command, env) {
      built ??= buildInFolders(root)
      const ports = { PDP_PORT: await freePort(), ZEROHOP_API_PORT: await freePort() }
      const data = join(root, `data-${running.length}`)
      cpSync(join(built.root, 'data'), data, { recursive: true })
      const variables = { ...built.env, ...ports, ...env, ZEROHOP_DATA: data, ZEROHOP_HOST: '127.0.0.1' }
      const [program, ...args] = [...built.entrypoint, ...(command.length > 0 ? command : built.command)]
      let output = ''
      const child = spawn(program, args, { cwd: built.workdir, env: variables, stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout.on('data', (chunk) => (output = (output + chunk).slice(-4_000)))
      child.stderr.on('data', (chunk) => (output = (output + chunk).slice(-4_000)))
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
      running.push({ child, ended })
      return {
        pdp: `http://127.0.0.1:${ports.PDP_PORT}`,
        apiFromContainers: `http://127.0.0.1:${ports.ZEROHOP_API_PORT}`,
        read: (path) => readFileSync(join(data, relative('/data', path)), 'utf8'),
        healthcheck: () => {
          const [probe, ...rest] = healthcheck().words
          if (spawnSync(probe, rest, { env: variables }).status !== 0)
            throw new Error('the HEALTHCHECK of the Dockerfile fails')
        },
        ended: () => child.exitCode ?? child.signalCode ?? undefined,
        log: () => output,
        stop: async () => {
          child.kill('SIGTERM')
          const late = new Promise((resolve) => setTimeout(resolve, STOP_MS, 'late').unref())
          const code = await Promise.race([ended, late])
          if (code !== 0) throw new Error(`SIGTERM ended the process with ${code}\n${output}`)
        },
      }
    },
    async remove() {
      for (const { child, ended } of running) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL')
          await ended
        }
      }
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/**
 * Takes the packages that `.ci/run` has just installed from the same lock file, instead of installing them again.
 * Returns false when it did not, or when the folder lies on another disk.
 */
function linkInstalled(folder) {
  if (process.env.ZEROHOP_CI_INSTALLED !== '1') return false
  if (!readFileSync(join(folder, 'package-lock.json')).equals(readFileSync('package-lock.json'))) return false
  const { status } = spawnSync('cp', ['-al', 'node_modules', join(folder, 'node_modules')], { stdio: 'ignore' })
  if (status !== 0) {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    return false
  }
  console.log('container: RUN npm ci: the packages that were just installed from the same lock file')
  return true
}

/**
 * Takes along what `.ci/run` has just built. The build then runs all the same, and leaves out a step only when what it
 * reads here, its tools and its packages are byte for byte those of that build (scripts/build.mjs): a file that
 * .dockerignore or a COPY leaves out is found.
 */
function takeBuilt(folder) {
  if (process.env.ZEROHOP_CI_INSTALLED !== '1') return
  for (const name of ['build', 'dist', 'policy.schema.json', 'policy-test.schema.json', 'sync.schema.json'])
    cpSync(name, join(folder, name), { recursive: true })
  console.log('container: RUN npm run build: begins with what was just built')
}

/** Executes COPY and RUN of every stage, each stage in a folder of its own that stands for `/`. */
function buildInFolders(root) {
  const allowed = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const isIn = (path) =>
    path === '.' || allowed.some((each) => `${path}/`.startsWith(`${each}/`) || `${each}/`.startsWith(`${path}/`))
  const stages = new Map()
  let last
  for (const [index, { name, instructions }] of parseDockerfile(readFileSync('Dockerfile', 'utf8')).entries()) {
    const stage = {
      root: join(root, `stage-${index}`),
      workdir: '/',
      env: machine(),
      entrypoint: [],
      command: [],
    }
    const inside = (path) => join(stage.root, isAbsolute(path) ? path : join(stage.workdir, path))
    mkdirSync(stage.root)
    for (const { keyword, flags, words, text } of instructions) {
      if (keyword === 'WORKDIR') {
        stage.workdir = text
        mkdirSync(inside('.'), { recursive: true })
      } else if (keyword === 'ENV') {
        for (const word of words) stage.env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
      } else if (keyword === 'COPY') {
        const target = words.at(-1)
        for (const source of words.slice(0, -1)) {
          const from = flags.from ? join(stages.get(flags.from).root, source) : source
          if (!flags.from && !isIn(source)) throw new Error(`COPY ${source}: .dockerignore leaves it out`)
          const to = target.endsWith('/') ? join(inside(target), source) : inside(target)
          mkdirSync(dirname(to), { recursive: true })
          if (!existsSync(from)) throw new Error(`COPY ${source}: there is no such file`)
          cpSync(from, to, {
            recursive: statSync(from).isDirectory(),
            filter: flags.from ? undefined : (path) => isIn(relative('.', path) || '.'),
          })
        }
      } else if (keyword === 'RUN') {
        if (text === 'npm ci' && linkInstalled(inside('.'))) continue
        if (text.startsWith('npm run build')) takeBuilt(inside('.'))
        console.log(`container: RUN ${text}`)
        const done = spawnSync('/bin/sh', ['-c', text], { cwd: inside('.'), env: stage.env, encoding: 'utf8' })
        if (done.status !== 0) throw new Error(`RUN ${text}: exit code ${done.status}\n${done.stdout}${done.stderr}`)
      } else if (keyword === 'ENTRYPOINT') stage.entrypoint = words
      else if (keyword === 'CMD') stage.command = words
    }
    if (name) stages.set(name, stage)
    last = { ...stage, workdir: inside('.') }
  }
  return last
}

/**
 * What a stage has from this machine: where programs are, how the network is reached, and what npm has already fetched.
 * No other variable gets in, as none gets into a container.
 */
function machine() {
  const network = /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_registry)$/i
  const given = Object.entries(process.env).filter(([name]) => network.test(name) || name === 'PATH' || name === 'HOME')
  return { ...Object.fromEntries(given), npm_config_prefer_offline: 'true' }
}

function healthcheck() {
  const last = parseDockerfile(readFileSync('Dockerfile', 'utf8')).at(-1)
  return last.instructions.find(({ keyword }) => keyword === 'HEALTHCHECK')
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
