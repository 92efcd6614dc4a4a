// The right side of a test: a constant of a kind that the operator and the declared type take, several of them, or
// another attribute.
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { AttributeType, Operator } from 'zerohop/conditions'
import type { Suggest } from '../../api/suggestions.ts'
import { KeyField } from '../../components/key-field.tsx'
import { findProblem } from './attributes.ts'
import type { Json } from './condition-model.ts'
import classes from './conditions.module.css'
import { findKind, findRef, makeRightSide, type ScalarKind, scalarFrom, toKind } from './operands.ts'

interface ValueFieldProps {
  readonly operator: Operator
  readonly type: AttributeType | undefined
  readonly value: Json
  readonly suggest: Suggest
  readonly onChange: (value: Json) => void
}

const KIND_WORDS = { string: 'Text', number: 'Number', boolean: 'True or false' } as const
const REF = 'ref'

export function ValueField({ operator, type, value, suggest, onChange }: ValueFieldProps) {
  const { form, kinds, ref, isTime } = makeRightSide(operator, type)
  const reference = findRef(value)
  const values: readonly Json[] = Array.isArray(value) ? value : [value]
  const [chosen, setChosen] = useState<ScalarKind>()
  const [first = 'string'] = kinds
  // an empty field is no text yet, where a number is typed
  const kind = kinds.length === 1 ? first : values[0] === '' && chosen ? chosen : (findKind(values[0]) ?? first)
  const choices = [
    ...(kinds.includes(kind) ? kinds : [kind, ...kinds]).map((each) => ({
      value: each as string,
      label: isTime && each === 'string' ? 'Time' : isTime && each === 'number' ? 'Milliseconds' : KIND_WORDS[each],
    })),
    ...(ref || reference !== undefined ? [{ value: REF, label: 'Attribute' }] : []),
  ]
  const choose = (wanted: string) => {
    if (wanted === REF) onChange({ ref: 'user.' })
    else {
      setChosen(wanted as ScalarKind)
      const scalars = reference === undefined ? values : []
      const as = (each: Json | undefined) => toKind(each, wanted as ScalarKind)
      onChange(form === 'one' ? as(scalars[0]) : form === 'two' ? [as(scalars[0]), as(scalars[1])] : scalars.map(as))
    }
  }
  const common = { kind, isTime }
  return (
    <div className={classes.value}>
      {choices.length > 1 && (
        <NativeSelect
          aria-label="Value type"
          value={reference === undefined ? kind : REF}
          data={choices}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          className={classes.kind}
        />
      )}
      {reference !== undefined ? (
        <div className={classes.attribute}>
          <KeyField
            label="Other attribute"
            isLabelHidden
            placeholder="resource.owner"
            value={reference}
            error={findProblem(reference, 'resource')}
            onChange={(typed) => onChange({ ref: typed })}
            suggest={suggest}
          />
        </div>
      ) : form === 'list' ? (
        <ListField kind={kind} values={values} onChange={onChange} />
      ) : form === 'two' ? (
        <>
          <ScalarField
            {...common}
            label="From"
            value={values[0]}
            onChange={(low) => onChange([low, values[1] ?? low])}
          />
          <ScalarField
            {...common}
            label="To"
            value={values[1]}
            onChange={(high) => onChange([values[0] ?? high, high])}
          />
        </>
      ) : (
        <ScalarField {...common} label="Value" value={values[0]} onChange={onChange} />
      )}
    </div>
  )
}

interface ScalarFieldProps {
  readonly label: string
  readonly kind: ScalarKind
  readonly isTime: boolean
  readonly value: Json | undefined
  readonly onChange: (value: Json) => void
}

function ScalarField({ label, kind, isTime, value, onChange }: ScalarFieldProps) {
  const [typed, type] = useTyped(
    value,
    (json) => (typeof json === 'object' ? JSON.stringify(json) : String(json ?? '')),
    (text) => scalarFrom(kind, text),
  )
  if (kind === 'boolean')
    return (
      <NativeSelect
        aria-label={label}
        value={String(value)}
        data={['true', 'false']}
        onChange={({ currentTarget }) => onChange(currentTarget.value === 'true')}
        className={classes.scalar}
      />
    )
  return (
    <TextInput
      aria-label={label}
      value={typed}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={isTime && kind === 'string' ? '2026-01-31T12:00Z' : label}
      onChange={({ currentTarget }) => onChange(type(currentTarget.value))}
      autoComplete="off"
      spellCheck={false}
      className={classes.scalar}
    />
  )
}

interface ListFieldProps {
  readonly kind: ScalarKind
  readonly values: readonly Json[]
  readonly onChange: (values: Json) => void
}

function ListField({ kind, values, onChange }: ListFieldProps) {
  const [typed, type] = useTyped<Json>(
    values,
    (json) => (json as readonly Json[]).map(String).join('\n'),
    (text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => scalarFrom(kind, line)),
  )
  const isOneEach = values.every((each) => findKind(each) === kind && !String(each).includes('\n'))
  return (
    <Textarea
      aria-label="Values, one per line"
      placeholder="One value per line"
      value={typed}
      onChange={({ currentTarget }) => onChange(type(currentTarget.value))}
      readOnly={!isOneEach}
      description={isOneEach ? undefined : 'These values have different types or several lines: edit them as JSON.'}
      rows={Math.min(6, Math.max(2, values.length + 1))}
      spellCheck={false}
      className={classes.scalar}
    />
  )
}

/** What is typed, as long as it means the value that is there: `1.` stays while the value is 1. */
function useTyped<T extends Json | undefined>(
  value: T,
  print: (value: T) => string,
  parse: (text: string) => Json,
): readonly [typed: string, type: (text: string) => Json] {
  const [text, setText] = useState(() => print(value))
  const isSame = JSON.stringify(parse(text)) === JSON.stringify(value)
  const type = (next: string): Json => {
    setText(next)
    return parse(next)
  }
  return [isSame ? text : print(value), type]
}
