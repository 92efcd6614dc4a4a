// Relates an instance to another one that is stored, by a relation of its type.
import { Button } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestInstancesByName, suggestRelations } from '../../api/suggestions.ts'
import { useWrite } from '../../api/write.ts'
import form from '../../components/assign-role.module.css'
import { KeyField } from '../../components/key-field.tsx'

export function AddRelation({ instance }: { readonly instance: string }) {
  const path = useEnvironmentPath()
  const [relation, setRelation] = useState('')
  const [other, setOther] = useState('')
  const [wasSent, setSent] = useState(false)
  const tuple = { subject: other.trim(), relation: relation.trim(), object: instance }
  const add = useWrite({
    send: (body: typeof tuple) => api.POST('/v2/facts/{p}/{e}/relationship_tuples', { params: { path }, body }),
    done: (sent) => `${sent.subject} is now ${sent.relation} of ${sent.object}`,
    onDone: () => {
      setOther('')
      setSent(false)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (tuple.relation !== '' && tuple.subject !== '') add.mutate(tuple)
  }
  return (
    <form aria-label="Add a relation" className={form.form} onSubmit={submit} noValidate>
      <div className={form.fields}>
        <KeyField
          label="Relation"
          placeholder="parent"
          value={relation}
          onChange={setRelation}
          error={wasSent && tuple.relation === '' ? 'Relation is required' : undefined}
          suggest={(text) => suggestRelations(path, instance.slice(0, instance.indexOf(':')), text)}
        />
        <KeyField
          label="Instance"
          placeholder="folder:f1"
          value={other}
          onChange={setOther}
          error={wasSent && tuple.subject === '' ? 'Instance is required' : undefined}
          suggest={(text) => suggestInstancesByName(path, text)}
        />
        <Button type="submit" loading={add.isPending}>
          Add relation
        </Button>
      </div>
      {add.isError && (
        <p role="alert" className={form.error}>
          {describeError(add.error).text}
        </p>
      )}
    </form>
  )
}
