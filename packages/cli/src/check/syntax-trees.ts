import { resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyNode, AssignmentExpression, CallExpression, NewExpression, Program } from 'acorn'
import { memberName } from './keys.ts'
import { isProgram, parseFile } from './parse-file.ts'

/** Every node that is a function. */
export type FunctionNode = Extract<
  AnyNode,
  { readonly type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>

/**
 * What a name stands for: the node that declares it, which is the `Property` for a part of an
 * object pattern; null if it has no expression of its own.
 */
type Declared = AnyNode | null | undefined

/** A place in a source file: line and column count from 1. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/**
 * The syntax trees of a module and of the files that it imports by relative paths, directly or not.
 * Names are looked up by the scopes of the language, also through imports.
 */
export class SyntaxTrees {
  /** By absolute path, in the order in which they were read. */
  readonly files = new Map<string, Program>()
  readonly #pathOf = new Map<AnyNode, string>()
  readonly #parents = new Map<AnyNode, AnyNode>()
  readonly #assignments: AssignmentExpression[] = []
  readonly #memberAssignments = new Map<string, AssignmentExpression[]>()
  /** What is being looked up, so that a circle of names ends. */
  readonly #open = new Set<AnyNode>()
  /** The calls in all files. */
  readonly calls: (CallExpression | NewExpression)[] = []

  /** Reads a file and what it imports. Throws `CliError` for a file that is not JavaScript. */
  add(file: string): void {
    const waiting = [resolve(file)]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (this.files.has(path)) continue
      const program = parseFile(path)
      this.files.set(path, program)
      this.#pathOf.set(program, path)
      this.#link(program)
      for (const node of nodesIn(program)) {
        const imported = importedFile(path, importOf(node))
        if (imported !== null) waiting.push(imported)
      }
    }
  }

  *nodes(): Iterable<AnyNode> {
    for (const program of this.files.values()) yield* nodesIn(program)
  }

  placeOf(node: AnyNode): SourcePlace {
    const { line, column } = node.loc!.start
    return { file: this.#fileOf(node), line, column: column + 1 }
  }

  parentOf(node: AnyNode): AnyNode | undefined {
    return this.#parents.get(node)
  }

  /** The nodes around a node, the nearest first, each with the one inside that holds the node. */
  *around(node: AnyNode): Iterable<readonly [outer: AnyNode, inner: AnyNode]> {
    let inner = node
    for (let outer = this.parentOf(inner); outer; outer = this.parentOf(inner)) {
      yield [outer, inner]
      inner = outer
    }
  }

  /** The node that declares a name at a place, in another file for an import; else null. */
  declarationOf(name: string, at: AnyNode): AnyNode | null {
    for (const [scope] of this.around(at)) {
      const found = declaredIn(scope, name)
      if (found?.type === 'ImportSpecifier' || found?.type === 'ImportDefaultSpecifier') {
        const name = found.type === 'ImportSpecifier' ? nameOfExport(found.imported) : 'default'
        return this.exportOf(this.parentOf(found)!, name)
      }
      if (found !== undefined) return found
    }
    return null
  }

  /** What is assigned to a declared name after its declaration. */
  assignmentsTo(name: string, declaration: AnyNode): readonly AssignmentExpression[] {
    return this.#assignments.filter(
      ({ left }) =>
        left.type === 'Identifier' &&
        left.name === name &&
        this.declarationOf(name, left) === declaration,
    )
  }

  /** The assignments to members of this name, of whatever object. */
  assignmentsToMembers(name: string): readonly AssignmentExpression[] {
    return this.#memberAssignments.get(name) ?? []
  }

  /** The result of `find`; `otherwise` where the lookup of a node needs itself. */
  once<T>(node: AnyNode, otherwise: T, find: () => T): T {
    if (this.#open.has(node)) return otherwise
    this.#open.add(node)
    try {
      return find()
    } finally {
      this.#open.delete(node)
    }
  }

  /** What a function returns by `return`, or as the expression that is its body. */
  returnedBy(node: FunctionNode): readonly AnyNode[] {
    if (node.body.type !== 'BlockStatement') return [node.body]
    const isOwn = (inner: AnyNode): boolean => {
      for (const [outer] of this.around(inner)) if (isFunction(outer)) return outer === node
      return false
    }
    return [...nodesIn(node.body)].flatMap((inner) =>
      inner.type === 'ReturnStatement' && inner.argument && isOwn(inner) ? [inner.argument] : [],
    )
  }

  /** What a file that an import names exports under a name; null if it is not the source's own. */
  exportOf(statement: AnyNode, name: string): AnyNode | null {
    const program = this.programNamedBy(statement)
    return program === null ? null : this.exportIn(program, name)
  }

  /** What a file exports under a name; null if it is not the source's own. */
  exportIn(program: Program, name: string): AnyNode | null {
    for (const each of program.body) {
      if (each.type === 'ExportDefaultDeclaration' && name === 'default') return each.declaration
      if (each.type !== 'ExportNamedDeclaration') continue
      const declared = each.declaration ? declaredBy(each.declaration, name) : undefined
      if (declared !== undefined) return declared
      const specifier = each.specifiers.find(({ exported }) => nameOfExport(exported) === name)
      if (specifier === undefined) continue
      const local = nameOfExport(specifier.local)
      return each.source ? this.exportOf(each, local) : (declaredIn(program, local) ?? null)
    }
    return null
  }

  /** The own file that an import, export or `require` names. */
  programNamedBy(statement: AnyNode): Program | null {
    const path = importedFile(this.#fileOf(statement), importOf(statement))
    return path === null ? null : (this.files.get(path) ?? null)
  }

  /** The file in which a node stands. */
  rootOf(node: AnyNode): AnyNode {
    let root = node
    for (const [outer] of this.around(node)) root = outer
    return root
  }

  #fileOf(node: AnyNode): string {
    return this.#pathOf.get(this.rootOf(node))!
  }

  #addAssignment(node: AssignmentExpression): void {
    this.#assignments.push(node)
    const name = memberName(node.left)
    if (name === null) return
    const known = this.#memberAssignments.get(name)
    if (known === undefined) this.#memberAssignments.set(name, [node])
    else known.push(node)
  }

  #link(program: Program): void {
    for (const node of nodesIn(program)) {
      if (node.type === 'AssignmentExpression') this.#addAssignment(node)
      if (node.type === 'CallExpression' || node.type === 'NewExpression') this.calls.push(node)
      for (const child of childrenOf(node)) this.#parents.set(child, node)
    }
  }
}

export const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === 'FunctionDeclaration' ||
  node.type === 'FunctionExpression' ||
  node.type === 'ArrowFunctionExpression'

/** A node and all nodes in it. */
function* nodesIn(root: AnyNode): Iterable<AnyNode> {
  const waiting = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node
    waiting.push(...childrenOf(node).reverse())
  }
}

const childrenOf = (node: AnyNode): AnyNode[] => Object.values(node).flat().filter(isNode)

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The declaration of a name directly in a scope; undefined if the scope has none. */
function declaredIn(scope: AnyNode, name: string): Declared {
  switch (scope.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return firstOf(scope.params, (pattern) => parameterOf(pattern, name))
    case 'Program':
    case 'BlockStatement':
      return firstOf(scope.body, (statement) => declaredBy(statement, name))
    case 'ForStatement':
      return scope.init ? declaredBy(scope.init, name) : undefined
    case 'ForInStatement':
    case 'ForOfStatement':
      return binds(scope.left, name) ? null : undefined
    case 'CatchClause':
      return scope.param && binds(scope.param, name) ? null : undefined
    default:
      return undefined
  }
}

function parameterOf(pattern: AnyNode, name: string): Declared {
  const parameter = pattern.type === 'AssignmentPattern' ? pattern.left : pattern
  if (parameter.type === 'Identifier') return parameter.name === name ? parameter : undefined
  return partOf(pattern, name)
}

const nameOfExport = (node: AnyNode): string =>
  node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : ''

function declaredBy(statement: AnyNode, name: string): Declared {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      return statement.declaration ? declaredBy(statement.declaration, name) : undefined
    case 'FunctionDeclaration':
      return statement.id?.name === name ? statement : undefined
    case 'ClassDeclaration':
      return statement.id?.name === name ? statement : undefined
    case 'VariableDeclaration':
      return firstOf(statement.declarations, (each) => {
        if (each.id.type === 'Identifier') return each.id.name === name ? each : undefined
        return partOf(each.id, name)
      })
    case 'ImportDeclaration':
      return firstOf(statement.specifiers, (each) => {
        if (each.local.name !== name) return undefined
        return each
      })
    default:
      return undefined
  }
}

function firstOf<T>(list: readonly T[], find: (item: T) => Declared): Declared {
  for (const item of list) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The property of a pattern that has a name as its value; null for parts of other patterns. */
function partOf(pattern: AnyNode, name: string): Declared {
  for (const node of nodesIn(pattern)) {
    if (node.type !== 'Property') continue
    const value = node.value.type === 'AssignmentPattern' ? node.value.left : node.value
    if (value.type === 'Identifier' && value.name === name) return node
  }
  return binds(pattern, name) ? null : undefined
}

/** True if a pattern has a name. */
function binds(pattern: AnyNode, name: string): boolean {
  for (const node of nodesIn(pattern))
    if (node.type === 'Identifier' && node.name === name) return true
  return false
}

/** What an import, export or `require` names; undefined for other nodes. */
function importOf(node: AnyNode): AnyNode | null | undefined {
  if (node.type === 'CallExpression')
    return node.callee.type === 'Identifier' && node.callee.name === 'require'
      ? node.arguments[0]
      : undefined
  return node.type === 'ImportDeclaration' ||
    node.type === 'ImportExpression' ||
    node.type === 'ExportNamedDeclaration' ||
    node.type === 'ExportAllDeclaration'
    ? node.source
    : undefined
}

/** The application's own file that a relative import leads to; null for everything else. */
function importedFile(from: string, source: AnyNode | null | undefined): string | null {
  if (source?.type !== 'Literal' || typeof source.value !== 'string') return null
  if (!/^\.{0,2}\//.test(source.value)) return null
  const path = fileURLToPath(new URL(source.value, pathToFileURL(from)))
  const isOwn = !path.includes(`${sep}node_modules${sep}`)
  return isOwn && isProgram(path) ? path : null
}
