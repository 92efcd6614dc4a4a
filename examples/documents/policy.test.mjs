// The policy of the example as its unit tests see it: no server, no data folder. node --test examples/documents
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loadPolicy } from 'zerohop/policy'
import { PEOPLE } from './people.mjs'

const pdp = loadPolicy(new URL('policy.yaml', import.meta.url), { facts: PEOPLE })
after(() => pdp.close())

const draft = { type: 'document', tenant: 'acme', attributes: { status: 'draft', owner: 'cyd' } }
const inReports = { ...draft, relations: { folder: ['folder:reports'] } }

test('auditors read every document of their tenant, and edit none', () => {
  assert.equal(pdp.check('cyd', 'read', draft), true)
  assert.equal(pdp.check('cyd', 'edit', { ...draft, attributes: { owner: 'ana' } }), false)
})

test('who edits a folder edits its documents', () => {
  assert.equal(pdp.check('ana', 'edit', inReports), true)
  assert.equal(pdp.check('ben', 'edit', inReports), false)
})

test('members read what is public, and edit what is their own', () => {
  assert.equal(pdp.check('ben', 'read', { ...draft, attributes: { status: 'public' } }), true)
  assert.equal(pdp.check('ben', 'edit', { ...draft, attributes: { owner: 'ben' } }), true)
  assert.equal(pdp.check('eve', 'read', { ...draft, attributes: { status: 'public' } }), false)
})

test('administrators manage the members of their own tenant', () => {
  assert.equal(pdp.check('ana', 'manage', { type: 'members', tenant: 'acme' }), true)
  assert.equal(pdp.check('ana', 'manage', { type: 'members', tenant: 'umbra' }), false)
  assert.equal(pdp.check('ben', 'manage', { type: 'members', tenant: 'acme' }), false)
})

test('a misspelt action fails a test instead of being denied', () => {
  assert.throws(() => pdp.check('ana', 'raed', draft), { code: 'UNKNOWN_NAME' })
})
