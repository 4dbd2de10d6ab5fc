/** Sentences that tell something of a page or of the person, and ask for nothing. */
const REMARKS: readonly RegExp[] = [
  /^(?:it|this|that|the\s+[\w ]+?)\s+(?:may\s+|can\s+|might\s+|will\s+)?(?:often\s+|sometimes\s+|usually\s+)?(?:takes?|needs?)\s+(?:a\s+while|a\s+moment|some\s+time|long|a\s+bit)\b/i,
  /^(?:it|this|that|the\s+[\w ]+?)\s+(?:may\s+|can\s+|might\s+)?(?:often\s+|sometimes\s+|usually\s+)?(?:fails?|is\s+slow|loads?\s+slowly)\b/i,
  /^(?:it|this|that|the\s+[\w ]+?)\s+(?:is|are|stands?)\s+(?:at|on|in)\s+the\s+(?:very\s+)?(?:top|bottom|left|right|middle|side|footer|header)\b/i,
  /\b(?:is\s+not|isn['’]t)\s+on\s+(?:the|this)\s+(?:first\s+)?page\b/i,
  /^(?:confirm|agree|say\s+yes)\s+(?:it\s+)?if\s+you(?:['’]re|\s+are)\s+asked$/i,
  /^if\s+(?:it|that|this)\s+(?:does|happens|fails)$/i,
  /^use\s+(?:that|this|it)(?:\s+one)?$/i,
  /\b(?:is|are)\s+(?:very\s+|a\s+bit\s+)?(?:picky|strict|fussy|particular)\s+about\b/i,
  /^(?:read|look\s+at)\s+the\s+(?:error|message)s?\s+if\s+there\s+(?:is|are)\b/i,
  /^(?:write|enter|give)\s+(?:it|them)\s+(?:the\s+way|as|in\s+the\s+form)\s+(?:they|it|the\s+page)\s+(?:wants?|asks?|expects?|requires?)\b/i,
  // What is left of a sentence that told the address.
  /^(?:you|one)\s+(?:can\s+)?(?:look|find|see|get|have)\b(?:\s+(?:it|that|this|them|up|there|here))*$/i,
  /^(?:the|their|its)\s+[\w'’ ]+\s+(?:is|are)$/i,
  /^(?:thanks|thank\s+you|many\s+thanks|cheers)\b/i,
];

/** Whether a sentence is background that nothing has to be done about. */
export function isRemark(text: string): boolean {
  return REMARKS.some((remark) => remark.test(text));
}
