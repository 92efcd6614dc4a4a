// The page of react.test.ts: notes, and what their user may do with each.
import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Can, PermissionsProvider, usePermissions } from 'zerohop/react'

const notes = [
  { key: 'n1', amount: 900 },
  { key: 'n2', amount: 50 },
  { key: 'n3', amount: 50 },
  { key: 'n4', amount: 900 },
]

async function ask(action, resource, signal) {
  const response = await fetch('/check', { method: 'POST', body: JSON.stringify({ action, resource }), signal })
  return (await response.json()).allow
}

function Note({ note: { key, ...attributes } }) {
  const on = { type: 'note', key, attributes }
  const show = (name) => h(Can, { do: name, on, otherwise: 'no', unknown: '?' }, name)
  return h('li', { id: key }, show('read'), ' ', show('pay'))
}

function Notes() {
  const { snapshot, error } = usePermissions()
  const rows = notes.map((note) => h(Note, { key: note.key, note }))
  const state = `${snapshot ? `revision ${snapshot.revision}` : 'none'}${error ? ', failed' : ''}`
  return h('div', null, h('ul', null, rows), h('p', { id: 'state' }, state))
}

function App() {
  const [isOpen, setOpen] = useState(true)
  const toggle = h('button', { type: 'button', onClick: () => setOpen(!isOpen) }, 'toggle')
  const provided = { url: '/permissions', tenant: 'acme', ask }
  return h('main', null, toggle, isOpen ? h(PermissionsProvider, provided, h(Notes)) : null)
}

createRoot(document.getElementById('root')).render(h(App))
