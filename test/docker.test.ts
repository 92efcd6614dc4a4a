// What must be true of the Dockerfile without building it; .ci/container.mjs executes it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from './tidy/source.ts'

interface Instruction {
  keyword: string
  flags: Record<string, string>
  text: string
  words: string[]
}

const parsed = spawnSync(process.execPath, ['.ci/dockerfile.mjs', 'Dockerfile'], { cwd: ROOT, encoding: 'utf8' })
const stages = JSON.parse(parsed.stdout) as { name?: string; image: string; instructions: Instruction[] }[]
const final = stages.at(-1)?.instructions ?? []
const one = (keyword: string): Instruction => {
  const found = final.filter((instruction) => instruction.keyword === keyword)
  expect(found, keyword).toHaveLength(1)
  return found[0] as Instruction
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: { zerohop: string } }

describe('the container image', () => {
  it('runs a slim Node on glibc, the same in every stage, by its digest', () => {
    expect(new Set(stages.map(({ image }) => image)).size).toBe(1)
    expect(stages[0]?.image).toMatch(/^node:\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)
  })

  it('starts the zerohop command, and the PDP when nothing else is said', () => {
    expect(one('ENTRYPOINT').words.map((word) => `./${word}`)).toContain(manifest.bin.zerohop)
    expect(one('CMD').words).toEqual(['pdp'])
    expect(one('EXPOSE').words).toContain('7000')
  })

  it('does not run as root, and owns the volume that it writes to', () => {
    const user = one('USER').text
    expect(user).not.toMatch(/^(root|0)\b/)
    const volume = one('VOLUME').text
    expect(
      final.some(
        ({ keyword, flags, words }) =>
          keyword === 'COPY' && words.at(-1) === volume && flags.chown === `${user}:${user}`,
      ),
    ).toBe(true)
    expect(one('ENV').text).toContain(`ZEROHOP_DATA=${volume}`)
  })

  it('listens on every address inside its own network', () => {
    expect(one('ENV').text).toContain('ZEROHOP_HOST=0.0.0.0')
  })

  it('carries production dependencies only, and no source', () => {
    const modules = final.filter(
      ({ keyword, words }) => keyword === 'COPY' && words.some((word) => word.includes('node_modules')),
    )
    expect(modules.map(({ flags }) => flags.from)).toEqual(['production'])
    const production = stages.find(({ name }) => name === 'production')?.instructions ?? []
    expect(production.filter(({ keyword }) => keyword === 'RUN').map(({ text }) => text)).toEqual([
      'npm ci --omit=dev --workspaces=false',
    ])
    expect(final.filter(({ keyword }) => keyword === 'RUN')).toEqual([])
    expect(
      final.filter(
        ({ keyword, words }) => keyword === 'COPY' && words.some((word) => /^(\.|src|assembly|test)$/.test(word)),
      ),
    ).toEqual([])
  })

  it('is checked for health by Node itself, because the image has no curl', () => {
    const [program, flag, script = ''] = one('HEALTHCHECK').words
    expect([program, flag]).toEqual(['node', '-e'])
    expect(script).toContain('/health')
    const unreachable = { ...process.env, PDP_PORT: '1', ZEROHOP_API_PORT: '1' }
    expect(spawnSync(process.execPath, ['-e', script], { env: unreachable }).status).toBe(1)
  })

  it('is alive while it loads: what is not ready is not started again', async () => {
    const [, , script = ''] = one('HEALTHCHECK').words
    const loading = createServer((_request, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
    await once(loading, 'listening')
    const { port } = loading.address() as AddressInfo
    const child = spawn(process.execPath, ['-e', script], { env: { ...process.env, PDP_PORT: String(port) } })
    expect((await once(child, 'close'))[0]).toBe(0)
    loading.close()
    expect(one('HEALTHCHECK').flags).toMatchObject({ 'start-period': '10m' })
  })

  it('copies only what exists and what .dockerignore lets through', () => {
    const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const sources = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, flags }) => keyword === 'COPY' && flags.from === undefined)
        .flatMap(({ words }) => words.slice(0, -1)),
    )
    expect(sources.length).toBeGreaterThan(5)
    for (const source of sources) {
      expect(existsSync(join(ROOT, source)), source).toBe(true)
      expect(
        allowed.some((each) => each === source || each.startsWith(`${source}/`)),
        `${source} in .dockerignore`,
      ).toBe(true)
    }
  })
})

describe('what runs in CI', () => {
  const folder = join(ROOT, '.github/workflows')
  it.each(readdirSync(folder))('%s uses the actions of others by commit, with the version as a comment', (name) => {
    const used = [...readFileSync(join(folder, name), 'utf8').matchAll(/^ *(?:- )?uses: *(.*)$/gm)].map(
      ([, text]) => text,
    )
    expect(used.length).toBeGreaterThan(0)
    for (const text of used) expect(text).toMatch(/^(\.\/\S+|[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/)
  })

  it('is updated by a bot: packages, actions and the base image', () => {
    const { updates } = parse(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8'))
    const ecosystems = updates.map((each: { 'package-ecosystem': string }) => each['package-ecosystem'])
    expect(ecosystems).toEqual(expect.arrayContaining(['npm', 'github-actions', 'docker']))
  })
})
