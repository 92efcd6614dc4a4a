// A full disk shows at /ready and in the metrics, and is over by itself when there is space again.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import { managementServer, openManagement, readKeys } from '../../src/server.ts'
import { temporaryMount, unmount } from '../support/mount.ts'
import { parseMetrics } from '../support/prometheus.ts'

const mountPoint = temporaryMount('size=24m')
afterAll(() => unmount(mountPoint))

// skipped where this user may not mount a file system
describe.skipIf(mountPoint === undefined)('the management API on a full disk', () => {
  it('is degraded, says so in its metrics, and is well again when there is space', async () => {
    const management = await openManagement({ data: join(mountPoint ?? '', 'data') })
    const app = managementServer(management, { openMetrics: true })
    const authorization = `Bearer ${readKeys(join(mountPoint ?? '', 'data'))?.environments.development}`
    const gauge = async (name: string) =>
      parseMetrics((await app.inject({ url: '/metrics' })).body).get(name)?.samples[0]?.value
    const ready = async () => {
      const { statusCode, body } = await app.inject({ url: '/ready' })
      return [statusCode, JSON.parse(body)]
    }
    expect(await ready()).toEqual([200, { status: 'ok' }])
    expect(await gauge('zerohop_disk_full')).toBe(0)
    expect(await gauge('zerohop_disk_free_bytes')).toBeGreaterThan(1024 * 1024)
    const filler = join(mountPoint ?? '', 'filler')
    for (let bytes = 4 * 1024 * 1024; bytes >= 1024; ) {
      try {
        writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
      } catch {
        bytes /= 2
      }
    }
    const path = '/v2/facts/default/development/tenants'
    // what is free within the data file takes some writes
    for (let [at, status] = [0, 200]; status === 200; at++) {
      const payload = { key: `t${at}`, attributes: { text: 'x'.repeat(20_000) } }
      const answer = await app.inject({ method: 'POST', url: path, headers: { authorization }, payload })
      status = answer.statusCode
      expect([200, 503]).toContain(status)
    }
    expect(await ready()).toEqual([200, { status: 'degraded', code: expect.stringMatching(/^DISK_(FULL|FAILED)$/) }])
    expect(await gauge('zerohop_disk_full')).toBe(1)
    rmSync(filler)
    const later = async () =>
      (await app.inject({ method: 'POST', url: path, headers: { authorization }, payload: { key: 'later' } }))
        .statusCode
    await expect.poll(later).toBe(200)
    expect(await ready()).toEqual([200, { status: 'ok' }])
    expect(await gauge('zerohop_disk_full')).toBe(0)
    await app.close()
    await management.store.close()
  })

  it('rotates a key whole or not at all: one of its secrets opens, and keys.json has one that does when it is opened again', async () => {
    const data = join(mountPoint ?? '', 'rotating')
    const management = await openManagement({ data, noExample: true })
    const app = managementServer(management)
    const secret = readKeys(data)?.environments.development ?? ''
    const admin = `Bearer ${readKeys(data)?.organization}`
    const ask = async (method: 'GET' | 'POST', url: string, authorization: string, payload?: object) => {
      const answer = await app.inject({ method, url, headers: { authorization }, ...(payload && { payload }) })
      return { status: answer.statusCode, body: answer.json() }
    }
    const { id } = management.store.findApiKey(hashSecret(secret))!.key
    const opens = async (key: string) => (await ask('GET', '/v2/api-key/scope', `Bearer ${key}`)).status === 200
    expect(await opens(secret)).toBe(true)
    const filler = join(mountPoint ?? '', 'filler')
    for (let bytes = 4 * 1024 * 1024; bytes >= 1; ) {
      try {
        writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
      } catch {
        bytes = Math.floor(bytes / 2)
      }
    }
    // what is free within the data file takes some rotations
    const known = [secret]
    let status = 200
    for (let at = 0; status === 200 && at < 2_000; at++) {
      const rotated = await ask(
        'POST',
        `/v2/api-key/${id}/rotate-secret`,
        admin,
        at % 2 === 0 ? {} : { keep_old_seconds: 60 },
      )
      status = rotated.status
      if (status === 200) known.push(rotated.body.secret)
      expect([200, 503]).toContain(status)
    }
    expect(status).toBe(503)
    expect(await opens(known.at(-1)!)).toBe(true)
    rmSync(filler)
    await expect.poll(async () => (await ask('POST', `/v2/api-key/${id}/rotate-secret`, admin)).status).toBe(200)
    await app.close()
    await management.store.close()
    const again = await openManagement({ data, noExample: true })
    const written = readKeys(data)?.environments.development ?? ''
    expect(again.store.findApiKey(hashSecret(written))?.key.id).toBe(id)
    for (const old of known) expect(again.store.findApiKey(hashSecret(old))).toBeUndefined()
    await again.store.close()
  })
})
