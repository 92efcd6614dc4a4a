// The metric of when a certificate expires: of a chain the first to expire, and of the new one after a reload.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { httpApp } from '../../src/http/app.ts'
import { noteCertificate } from '../../src/http/certificate.ts'
import { managementError } from '../../src/http/errors.ts'
import { intakeMetrics, Metrics } from '../../src/http/metrics.ts'
import { parseMetrics } from '../support/prometheus.ts'

const pem = (name: string) => readFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url))
const certificateEnd = (name: string) => Date.parse(new X509Certificate(pem(name)).validTo) / 1000

async function shown(tls?: { cert: Buffer; key: Buffer }) {
  const app = httpApp({ errorForm: managementError, duplicates: 'refuse', ...(tls ? { tls } : {}) })
  const metrics = new Metrics()
  intakeMetrics(metrics, [app])
  const read = async () =>
    parseMetrics(await metrics.text()).get('zerohop_certificate_expires_timestamp_seconds')?.samples[0]?.value
  return { app, read }
}

it('the metric is the end of the certificate that was read last, and of a chain the first end', async () => {
  const { app, read } = await shown({ cert: pem('one.cert'), key: pem('one.key') })
  expect(await read()).toBe(certificateEnd('one.cert'))
  noteCertificate(app.server, pem('two.cert'))
  expect(await read()).toBe(certificateEnd('two.cert'))
  noteCertificate(app.server, Buffer.concat([pem('two.cert'), pem('one.cert')]))
  expect(await read()).toBe(Math.min(certificateEnd('one.cert'), certificateEnd('two.cert')))
  await app.close()
})

it('the metric is absent without TLS', async () => {
  const { app, read } = await shown()
  expect(await read()).toBeUndefined()
  await app.close()
})
