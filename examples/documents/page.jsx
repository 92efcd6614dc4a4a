// The page: it shows what its user may do, and decides nothing. Every request is checked on the server.
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Can, PermissionsProvider } from 'zerohop/react'

const FOLDERS = ['reports', 'sales']
const user = /(?:^|; )user=(\w+)/.exec(document.cookie)?.[1]
const send = (method, path, body) =>
  fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** What the policy reads of a row: the same names as in the mapping of the server. */
const resource = ({ id, tenant, status, owner, folder }) => ({
  type: 'document',
  key: id,
  tenant,
  attributes: { status, owner },
  relations: { folder: folder === null ? [] : [`folder:${folder}`] },
})

function Documents() {
  const [rows, setRows] = useState([])
  const [title, setTitle] = useState('')
  const [trouble, setTrouble] = useState('')
  const load = () => fetch('/api/documents').then(async (answer) => setRows(await answer.json()))
  const change = async (...request) => {
    const answer = await send(...request)
    setTrouble(answer.ok ? '' : (await answer.json()).error)
    await load()
  }
  useEffect(() => void load(), [])
  return (
    <>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            {row.title} ({row.status}){' '}
            <Can do="edit" on={resource(row)}>
              <button
                type="button"
                onClick={() => change('PATCH', `/api/documents/${row.id}`, { title: `${row.title}!` })}
              >
                Edit {row.title}
              </button>
            </Can>
          </li>
        ))}
      </ul>
      <input aria-label="Title" value={title} onChange={({ target }) => setTitle(target.value)} />
      {FOLDERS.map((folder) => (
        <Can
          key={folder}
          do="create"
          on={resource({ id: null, tenant: rows[0]?.tenant ?? '', status: 'draft', owner: user, folder })}
        >
          <button type="button" onClick={() => change('POST', '/api/documents', { title, folder })}>
            Add to {folder}
          </button>
        </Can>
      ))}
      <p role="alert">{trouble}</p>
    </>
  )
}

const signIn = async (name) => {
  await cookieStore.set({ name: 'user', value: name, sameSite: 'strict' })
  location.reload()
}

createRoot(document.getElementById('app')).render(
  <>
    <h1>{user === undefined ? 'Sign in' : `Documents of ${user}`}</h1>
    {['ana', 'ben', 'cyd', 'eve'].map((name) => (
      <button type="button" key={name} onClick={() => signIn(name)}>
        {name}
      </button>
    ))}
    {user !== undefined && <a href="/members">Members</a>}
    {user !== undefined && (
      <PermissionsProvider url="/api/permissions">
        <Documents />
      </PermissionsProvider>
    )}
  </>,
)
