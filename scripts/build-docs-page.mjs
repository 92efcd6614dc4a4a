// Writes the page at /docs: Scalar's API reference as its plugin for Fastify serves it, with a page of our own around
// it that needs no inline script.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import { REFERENCE } from './build-openapi.mjs'

const PACKAGE = '@scalar/fastify-api-reference'

/**
 * The reference speaks with the server that it comes from and with nobody else: what Scalar offers beyond that is off.
 */
const OPTIONS = {
  url: '/v2/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  persistAuth: false, // an API key stays in the memory of the page
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

export async function buildDocsPage() {
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/docs', configuration: OPTIONS })
  const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`${PACKAGE} no longer serves its script at js/scalar.js`)
  mkdirSync(REFERENCE, { recursive: true })
  writeFileSync(join(REFERENCE, 'index.html'), page())
  // every browser unpacks it; unpacked it would be three quarters of the package
  writeFileSync(join(REFERENCE, 'scalar.js.gz'), gzipSync(rawPayload, { level: 9 }))
  const entry = createRequire(import.meta.url).resolve(PACKAGE)
  copyFileSync(join(dirname(entry), '..', 'LICENSE'), join(REFERENCE, 'scalar.LICENSE'))
}

const page = () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zerohop management API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same as data: <a href="/v2/openapi.json">/v2/openapi.json</a></noscript>
<script id="api-reference" data-configuration="${JSON.stringify(OPTIONS).replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></script>
<script src="/docs/scalar.js"></script>
</body>
</html>
`
