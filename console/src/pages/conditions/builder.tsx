// Conditions as groups and tests, each a row of fields. What it cannot show is there as JSON.
import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { createContext, useContext } from 'react'
import { OPERATOR_WORDS } from 'zerohop/conditions'
import { Icon } from '../../components/icon.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { type AttributeTypes, completed, findProblem, findType, suggestAttributes } from './attributes.ts'
import {
  addTo,
  changeAt,
  type Group,
  hasRoom,
  type Node,
  type Place,
  type Test,
  writeConditions,
} from './condition-model.ts'
import classes from './conditions.module.css'
import { printText } from './conditions-text.ts'
import { listOperators, retarget } from './operands.ts'
import { ValueField } from './value-field.tsx'

const GROUP_WORDS = [
  { value: 'all', label: 'All of' },
  { value: 'any', label: 'Any of' },
  { value: 'not', label: 'Not all of' },
] as const
const EMPTY_WORDS = {
  all: 'No conditions – matches everyone.',
  any: 'No conditions – matches no one.',
  not: 'Add conditions that must not hold.',
}

interface Building {
  readonly root: Group
  readonly types: AttributeTypes
  /** starts the attribute of a new test */
  readonly subject: 'user' | 'resource'
  readonly onChange: (root: Group) => void
  /** nothing that changes it is offered */
  readonly isReadOnly: boolean
}
const Building = createContext<Building | undefined>(undefined)

function useBuilding(): Building {
  const building = useContext(Building)
  if (building === undefined) throw new Error('used outside the builder')
  return building
}

interface BuilderProps extends Building {
  /** for now */
  readonly isDisabled: boolean
}

export function Builder({ isDisabled, ...building }: BuilderProps) {
  return (
    <Building value={building}>
      <fieldset disabled={isDisabled || building.isReadOnly} className={classes.builder} aria-label="Builder">
        <GroupView group={building.root} place={[]} />
      </fieldset>
    </Building>
  )
}

function GroupView({ group, place }: { readonly group: Group; readonly place: Place }) {
  const { root, subject, onChange, isReadOnly } = useBuilding()
  const { of, items } = group
  const word = GROUP_WORDS.find(({ value }) => value === of)?.label ?? ''
  const add = (node: Node) => onChange(addTo(root, place, node))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be disabled twice, and draws a frame
    <div role="group" aria-label={word} className={classes.group}>
      <div className={classes.row}>
        <NativeSelect
          aria-label="How to combine the conditions below"
          value={of}
          data={GROUP_WORDS.map(({ value, label }) => ({ value, label }))}
          onChange={({ currentTarget }) =>
            onChange(changeAt(root, place, () => ({ is: 'group', of: currentTarget.value as Group['of'], items })))
          }
          w={120}
        />
        {place.length > 0 && <RemoveButton label="Remove group" place={place} />}
      </div>
      <div className={classes.items}>
        {items.length === 0 && <p className={classes.empty}>{EMPTY_WORDS[of]}</p>}
        {items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what tells items apart
          <NodeView key={at} node={item} place={[...place, at]} />
        ))}
        {!isReadOnly && (
          <div className={classes.row}>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<Icon name="plus" size={12} />}
              disabled={!hasRoom(place, 'test')}
              onClick={() => add({ is: 'test', attribute: `${subject}.`, operator: 'equals', value: '' })}
            >
              Condition
            </Button>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<Icon name="plus" size={12} />}
              disabled={!hasRoom(place, 'group')}
              onClick={() => add({ is: 'group', of: of === 'any' ? 'all' : 'any', items: [] })}
            >
              Group
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}

function NodeView({ node, place }: { readonly node: Node; readonly place: Place }) {
  if (node.is === 'group') return <GroupView group={node} place={place} />
  if (node.is === 'test') return <TestView test={node} place={place} />
  return (
    <div className={classes.opaque}>
      <p>Can only be edited as JSON: {node.because}.</p>
      {/* what scrolls has to be reached by the keyboard */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0}>{printText(writeConditions(node))}</pre>
      <RemoveButton label="Remove this condition" place={place} />
    </div>
  )
}

function TestView({ test, place }: { readonly test: Test; readonly place: Place }) {
  const { root, types, subject, onChange, isReadOnly } = useBuilding()
  const { attribute, operator, value } = test
  const type = findType(types, attribute)
  const operators = listOperators(type)
  const change = (changed: Test) => onChange(changeAt(root, place, () => changed))
  const suggest = suggestAttributes(types)
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div role="group" aria-label={`Condition on ${attribute}`} className={classes.test}>
      <div className={classes.attribute}>
        <KeyField
          label="Attribute"
          isLabelHidden
          placeholder={`${subject}.department`}
          value={attribute}
          error={isReadOnly ? undefined : findProblem(attribute, subject)}
          onChange={(typed) => change({ is: 'test', attribute: typed, operator, value })}
          onCommit={(typed) => {
            const name = completed(types, subject, typed)
            const wanted = retarget(test, { attribute: name }, findType(types, name))
            if (JSON.stringify(writeConditions(wanted)) !== JSON.stringify({ [attribute]: { [operator]: value } }))
              change(wanted)
          }}
          suggest={suggest}
        />
      </div>
      <NativeSelect
        aria-label="Operator"
        value={operator}
        data={(operators.includes(operator) ? operators : [operator, ...operators]).map((each) => ({
          value: each,
          label: OPERATOR_WORDS[each].is,
        }))}
        onChange={({ currentTarget }) =>
          change(retarget(test, { operator: currentTarget.value as Test['operator'] }, type))
        }
        className={classes.operator}
      />
      <ValueField
        operator={operator}
        type={type}
        value={value}
        suggest={suggest}
        onChange={(next) => change({ is: 'test', attribute, operator, value: next })}
      />
      <RemoveButton label={`Remove the condition on ${attribute}`} place={place} />
      {operators.length === 0 && (
        <p className={classes.empty}>
          {attribute} has type {type}: edit its conditions as JSON.
        </p>
      )}
    </div>
  )
}

function RemoveButton({ label, place }: { readonly label: string; readonly place: Place }) {
  const { root, onChange, isReadOnly } = useBuilding()
  return isReadOnly ? null : (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      className={classes.remove}
      onClick={() => onChange(changeAt(root, place, () => undefined))}
    >
      <Icon name="x" size={14} />
    </ActionIcon>
  )
}
