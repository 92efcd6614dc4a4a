// Which management API commands ask, and about which environment.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { remoteEnvironment } from '../../src/cli/commands/ask-api.ts'
import { findAddress, makeClient, resolveEnvironment } from '../../src/cli/commands/management-api.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import { findProject } from '../../src/cli/configuration/project-file.ts'
import { temporaryFolder } from '../support/folders.ts'

const none = findProject(temporaryFolder('management-api'))
const project = { ...none, api: 'http://of-project:1', project: 'ours', environment: 'staging' }

describe('the management API of a command', () => {
  it('is that of the option, else of ZEROHOP_API, else of zerohop.yaml, else none', () => {
    const env = readEnv({ ZEROHOP_API: 'http://of-variable:1' })
    expect([
      findAddress({ api: 'http://of-option:1' }, env, project),
      findAddress({}, env, project),
      findAddress({}, readEnv({}), project),
      findAddress({}, readEnv({}), none),
    ]).toEqual(['http://of-option:1', 'http://of-variable:1', 'http://of-project:1', undefined])
  })

  it('is not asked without a key', () => {
    expect(() => makeClient('http://of-option:1', undefined)).toThrow('set PDP_API_KEY')
  })

  it('gets the key of keys.json only when it is on this machine', async () => {
    const data = temporaryFolder('keys')
    const keys = { organization: 'secret-o', environments: { development: 'secret-d', production: 'secret-p' } }
    writeFileSync(join(data, 'keys.json'), JSON.stringify(keys), { mode: 0o600 })
    const ask = (api: string) => remoteEnvironment(readEnv({ ZEROHOP_DATA: data }), { api })
    await expect(ask('http://of-option:1')).rejects.toThrow('PDP_API_KEY is not set: `http://of-option:1` needs it')
    await expect(ask('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
  })

  it('is asked about what options name, else the key, else zerohop.yaml', async () => {
    const asked: string[] = []
    const scope = { organization_id: 'o', project_id: 'p1', environment_id: undefined }
    const GET = async (path: string) => {
      asked.push(path)
      return { data: scope, response: new Response() }
    }
    const client = { ...makeClient('http://of-option:1', 'key'), GET } as unknown as ReturnType<typeof makeClient>
    const named = { project: 'default', environment: 'production' }
    expect(await resolveEnvironment(client, named, project)).toEqual({ p: 'default', e: 'production' })
    expect(asked).toEqual([])
    expect(await resolveEnvironment(client, {}, project)).toEqual({ p: 'p1', e: 'staging' })
    expect(await resolveEnvironment(client, { project: 'default' }, project)).toEqual({ p: 'default', e: 'staging' })
  })
})
