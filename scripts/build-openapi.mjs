// Writes the OpenAPI document of the management API: what the server that was just built answers at /v2/openapi.json.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FILE = 'dist/openapi.json'

export async function buildOpenApi() {
  const { managementServer, openManagement } = await import('../dist/bundle/server.js')
  const data = mkdtempSync(join(tmpdir(), 'zerohop-openapi-'))
  try {
    const management = await openManagement({ data })
    const app = managementServer(management)
    const { body } = await app.inject('/v2/openapi.json')
    await app.close()
    await management.store.close()
    writeFileSync(FILE, `${JSON.stringify(JSON.parse(body), null, 1)}\n`)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}
