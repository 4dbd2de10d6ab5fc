import { createHash } from 'node:crypto';
import type { PageSnapshot } from '#browsers/tab/tab.ts';
import { getText, nodesIn, type PageNode, parseOutline } from '../page-node.ts';
import type { Marks } from './template.ts';

/** A line of text that a page shows. */
export interface PageLine {
  /** Text with marks in place of inputs. */
  readonly text: string;
  /** Whether the line is part of a table, a list or a feed, where similar lines have different meanings. */
  readonly isListed: boolean;
}

/** Content of a page at one moment, with inputs replaced by marks. Pages of different runs can thus be compared. */
export interface PageView {
  readonly url: string;
  /** All elements in document order. */
  readonly nodes: readonly PageNode[];
  readonly lines: readonly PageLine[];
  /** Hash of all lines, 16 hexadecimal digits. Values of fields and states of controls do not affect the hash. */
  readonly hash: string;
  readonly outline: string;
}

const fieldsPattern = /^(?:textbox|searchbox|spinbutton|combobox|slider)$/;
const listedPattern = /^(?:row|listitem|article|gridcell|treeitem|feed)$/;
/** Roles of elements whose accessible name is not made of the text inside the element. */
const groupsPattern =
  /^(?:region|form|group|radiogroup|dialog|alertdialog|navigation|table|list|main|search|iframe|figure)$/;

/** Converts a page snapshot to comparable content. */
export function readPage({ url, outline }: PageSnapshot, marks: Marks): PageView {
  const nodes = nodesIn(parseOutline(outline));
  const listed = new Set<PageNode>();
  for (const node of nodes)
    if (listedPattern.test(node.role) || (node.parent !== null && listed.has(node.parent))) listed.add(node);
  const lines = nodes.flatMap((node) =>
    listOwnTexts(node).map((text) => ({ text: marks.mark(normal(text)), isListed: listed.has(node) })),
  );
  const hash = hashBytes(Buffer.from(lines.map(({ text }) => text).join('\n')));
  return { url, nodes, lines, hash, outline };
}

/** Returns the first 16 hexadecimal digits of the SHA-256 of the bytes. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/**
 * Returns the texts of an element itself: its name, unless the name repeats the text of its children, and its value,
 * unless the element is a field. Empty for an option.
 */
function listOwnTexts(node: PageNode): string[] {
  if (node.role === 'option') return [];
  const isFilled = node.children.some(({ role }) => role !== 'text');
  const name = isFilled && !groupsPattern.test(node.role) ? '' : node.name;
  const value = fieldsPattern.test(node.role) || node.value === node.name ? '' : node.value;
  return [name, value].filter((text) => text.trim() !== '');
}

/** Returns the label of an element: its accessible name, or its text. Empty for a field without a name. */
export function getLabel(node: PageNode): string {
  if (node.name !== '') return normal(node.name);
  return fieldsPattern.test(node.role) ? '' : normal(getText(node)).slice(0, labelMax);
}

/** Maximum length of a label that is made of the text of an element. */
const labelMax = 300;

/** Collapses white space to single spaces, and removes it at both ends. */
export function normal(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
