// Writes the OpenAPI document of the management API, made from the routes of the server that was just compiled.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const REFERENCE = 'dist/reference'

export async function buildOpenApi() {
  const { openApiOf } = await import('../dist/src/http/openapi.js')
  const { managementServer, openManagement } = await import('../dist/src/server.js')
  const data = mkdtempSync(join(tmpdir(), 'zerohop-openapi-'))
  try {
    const management = await openManagement({ data })
    const app = managementServer(management)
    await app.ready()
    const document = await openApiOf(app.noted)
    await app.close()
    await management.store.close()
    mkdirSync(REFERENCE, { recursive: true })
    writeFileSync(join(REFERENCE, 'openapi.json'), `${JSON.stringify(document)}\n`)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}
