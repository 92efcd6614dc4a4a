// `zerohop image build` and `zerohop types` of policy files: no server, no key.
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadImage } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const POLICY = `zerohop: 2
resources: [{ key: note, actions: { read: {}, write: {} } }]
roles: [{ key: reader, permissions: ['note:read'] }]
users: [{ key: ana }]
role_assignments: [{ user: ana, role: reader }]
`
let folder: string
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const here = (args: readonly string[], env: Record<string, string> = {}) =>
  runHere(args, { ZEROHOP_DATA: join(folder, 'no-data'), ...env }, folder)

beforeEach(() => {
  folder = temporaryFolder('policy-images')
  write('policy.yaml', POLICY)
})

describe('zerohop image build', () => {
  it('writes an image that is verified, decides, and has the same bytes each time', async () => {
    expect(await here(['image', 'build', 'policy.yaml', '-o', 'a.image'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^a\.image: \d+ bytes\n$/),
    })
    await here(['image', 'build', '--output', 'b.image']) // policy.yaml of the folder
    expect(readFileSync(join(folder, 'b.image')).equals(readFileSync(join(folder, 'a.image')))).toBe(true)
    expect((await here(['image', 'verify', 'a.image'])).out).toMatch(/^a\.image: sound, environment 0+, revision 1\n$/)
    const pdp = loadImage(join(folder, 'a.image'))
    expect([pdp.check('ana', 'read', 'note'), pdp.check('ana', 'write', 'note')]).toEqual([true, false])
  })

  it('signs it where there is a signing key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    write('private.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    write('public.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString())
    const env = { ZEROHOP_IMAGE_SIGNING_KEY: 'private.pem', PDP_IMAGE_PUBLIC_KEY: 'public.pem' }
    expect((await here(['image', 'build', '-o', 'a.image'], env)).out).toMatch(/^a\.image: signed, \d+ bytes\n$/)
    expect((await here(['image', 'verify', 'a.image'], env)).out).toContain('sound, signature good')
    await here(['image', 'build', '-o', 'b.image'])
    expect((await here(['image', 'verify', 'b.image'], env)).err).toContain('is not signed')
  })

  it('says what is wrong with the policy, and writes nothing', async () => {
    write('policy.yaml', POLICY.replace('note:read', 'note:raed').replace('user: ana', 'user: ann'))
    const { code, err } = await here(['image', 'build', '-o', 'a.image'])
    expect(code).toBe(1)
    expect(err).toContain('policy.yaml:3:38: error: resource type `note` has no action `raed`: did you mean `read`?\n')
    expect(err).toContain('policy.yaml:5:28: error: user `ann` does not exist')
    expect(() => readFileSync(join(folder, 'a.image'))).toThrow(/ENOENT/)
  })

  it('says so of a user whom no file has, where `validate` cannot know', async () => {
    write('policy.yaml', POLICY.replace('users: [{ key: ana }]\n', ''))
    expect((await here(['validate'])).code).toBe(0)
    const { code, err } = await here(['image', 'build', '-o', 'a.image'])
    expect([code, err]).toEqual([1, expect.stringContaining('policy.yaml:4:28: error: user `ana` does not exist')])
    const why = await here(['why', 'ana', 'read', 'note', '--policy', 'policy.yaml'])
    expect([why.code, why.err]).toEqual([2, expect.stringContaining('policy.yaml:4:28: error: user `ana`')])
    mkdirSync(join(folder, 'tests'))
    write('tests/a.yaml', 'expect: []\n')
    const tested = await here(['test'])
    expect([tested.code, tested.out]).toEqual([1, expect.stringContaining('policy.yaml:4:28: error: user `ana`')])
  })
})

describe('zerohop types', () => {
  const types = expect.stringContaining("actions: 'read' | 'write'")

  it('takes policy files', async () => {
    expect(await here(['types', 'policy.yaml'])).toMatchObject({ code: 0, err: '', out: types })
    await here(['image', 'build', '-o', 'a.image'])
    const [ofFiles, ofImage] = [await here(['types', 'policy.yaml']), await here(['types', '--image', 'a.image'])]
    expect(ofFiles.out).toBe(ofImage.out)
  })

  it('takes those of zerohop.yaml, from a folder below, too', async () => {
    write('zerohop.yaml', 'files: [policy.yaml]\napi: http://127.0.0.1:1\n')
    mkdirSync(join(folder, 'src'))
    expect(await here(['types'])).toMatchObject({ code: 0, err: '', out: types })
    expect(await runHere(['types'], {}, join(folder, 'src'))).toMatchObject({ code: 0, out: types })
  })

  it('asks a server where an option names one, and that of zerohop.yaml where the folder has no policy', async () => {
    write('zerohop.yaml', 'files: [elsewhere.yaml]\napi: http://127.0.0.1:1\n')
    const asked = await here(['types'], { PDP_API_KEY: 'key' })
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('cannot reach the management API')])
    write('zerohop.yaml', 'files: [policy.yaml]\n')
    const named = await here(['types', '--url', 'http://127.0.0.1:1', '--api-key', 'key'])
    expect([named.code, named.err]).toEqual([1, expect.stringContaining('cannot reach the management API')])
    write('zerohop.yaml', 'files: [elsewhere.yaml]\n')
    expect((await here(['types'])).err).toContain('`elsewhere.yaml` does not exist')
  })

  it('takes one source only', async () => {
    const both = await here(['types', 'policy.yaml', '--api-key', 'key'])
    expect([both.code, both.err]).toEqual([1, expect.stringContaining('one of them')])
  })
})
