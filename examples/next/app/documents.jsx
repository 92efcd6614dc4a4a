'use client'
// It shows what its user may do, and decides nothing.
import { useState } from 'react'
import { Can, PermissionsProvider } from 'zerohop/react'
import { rename, signIn } from './actions.js'

/** What the policy reads of a row: the same names as in the mapping of the server. */
const resource = ({ id, tenant, status, owner, folder }) => ({
  type: 'document',
  key: id,
  tenant,
  attributes: { status, owner },
  relations: { folder: folder === null ? [] : [`folder:${folder}`] },
})

export function SignIn() {
  return ['ana', 'ben', 'cyd', 'eve'].map((name) => (
    <button type="button" key={name} onClick={() => signIn(name)}>
      {name}
    </button>
  ))
}

export function Documents({ tenant, rows, snapshot }) {
  const [trouble, setTrouble] = useState('')
  const edit = async ({ id, title }) => setTrouble((await rename(id, `${title}!`)) ?? '')
  return (
    <PermissionsProvider url="/permissions" tenant={tenant} initial={snapshot}>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            {row.title}{' '}
            <Can do="edit" on={resource(row)}>
              <button type="button" onClick={() => edit(row)}>
                Edit {row.title}
              </button>
            </Can>
          </li>
        ))}
      </ul>
      <p role="alert">{trouble}</p>
    </PermissionsProvider>
  )
}
