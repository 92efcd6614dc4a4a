import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openHarness } from '/tmp/wt/scim/test/http/management/harness.ts'
it('runs', async () => {
  const api = await openHarness()
  await api.addKey('directory' as never, 'write', 'directory-key-0123456789')
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as { port: number }
  const { stdout, stderr } = await promisify(execFile)('/tmp/scimx/venv/bin/python', ['/tmp/wt/scim/test/http/scim/run-tester.py', `http://127.0.0.1:${port}/scim/v2`, 'directory-key-0123456789'], { maxBuffer: 1e8 }).catch((e) => e)
  console.log(stderr)
  const lines = stdout.trim().split('\n').map((l: string) => JSON.parse(l))
  const counts: Record<string, number> = {}
  for (const l of lines) { counts[l.status] = (counts[l.status] ?? 0) + 1; if (l.status !== 'SUCCESS') console.log(JSON.stringify(l)) }
  console.log(counts)
  await api.close().catch((e) => console.log('CLOSE', String(e).slice(0, 3000)))
}, 60000)
