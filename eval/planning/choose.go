package planning

import (
	"regexp"
	"slices"
	"strings"
)

var (
	cueWords       = regexp.MustCompile(`(?i)\b(?:answer|plan|attempt|actions?|steps|sequence|solution|summary|effects?|state|propert(?:y|ies)|predicates|propositions|facts|list|result|true|false|applicable|possible|conclusion|positive|negative|adds?|added|deletes?|deleted|removes?|removed)\b`)
	answerHead     = regexp.MustCompile(`(?i)\b(?:final|answer|summary|solution|complete|full|corrected|revised|conclusion|in short|plan|sequence of actions|action sequence|actions? list|list of actions|optimal|attempt|here(?:'s| is| are)|so,? the|therefore|updated)\b`)
	corrections    = regexp.MustCompile(`(?i)\b(?:wait|actually|correction|start(?:ing)? over|start again|scratch that|mistake|oops|revised?|let me (?:re|correct|fix|try)|on second thought|(?:second|third|new|next|another) (?:attempt|try)|instead|that(?:'s| is) (?:wrong|not right|incorrect)|redo|restart|hold on)\b`)
	otherHead      = regexp.MustCompile(`(?i)\b(?:alternative|explanation|example|note|goal|reasoning|why|verification|check)\b`)
	reasonHead     = regexp.MustCompile(`(?i)\b(?:because|explanation|explained|why|reasoning|achieves|verif\w+|by following)\b`)
	notHead        = regexp.MustCompile(`(?i)\b(?:not (?:applicable|possible|valid|true|allowed)|in(?:applicable|valid)|impossible|cannot|can't|unavailable|false)\b|[-–—:=(]\s*no(?:[,.;)]|\s*$)|[❌✗✘]`)
	consideredHead = regexp.MustCompile(`(?i)\b(?:consider(?:ed|ing)?|candidates?|check(?:ed|ing)?|all actions)\b`)
	positiveHead   = regexp.MustCompile(`(?i)(?:\b|_)(?:pos(?:itive)?|add(?:s|ed|itions?)?|becomes? true|made true|gained|now true|new(?:ly)?(?: true)?)(?:\b|_)`)
	negativeHead   = regexp.MustCompile(`(?i)(?:\b|_)(?:neg(?:ative)?|delet(?:e|ed|es|ions?)|remov(?:ed|es?|als?)|becomes? false|made false|lost|no longer|false)(?:\b|_)`)
	stepHead       = regexp.MustCompile(`(?i)^(?:after )?(?:step|action|move) \d`)
	titleHead      = regexp.MustCompile(`(?i)^(?:attempt|option|plan|try|solution|approach|version|alternative) #?(?:\d+|[a-z])$`)
	beforeHead     = regexp.MustCompile(`(?i)\b(?:initial|before|start(?:ing)?|original|previous|current|after (?:the )?(?:first|1st|action 1|step 1)|intermediate|after (?:picking|putting|stacking|unstacking|driving|lifting|dropping|loading|unloading))\b`)
	afterHead      = regexp.MustCompile(`(?i)\b(?:final|result(?:ing|s)?|end|new|after (?:both|all|the (?:second|last|two)|these|action 2|step 2)|afterwards|answer|complete|updated)\b`)
)

// sides returns what marks a heading, line or key as what a task asks for, and as something else; nil: nothing does.
func sides(task Task) (want, other *regexp.Regexp) {
	switch task {
	case Positive:
		return positiveHead, negativeHead
	case Negative:
		return negativeHead, positiveHead
	case Applicable:
		return nil, notHead
	}
	return nil, nil
}

// is reports whether a text has a mark, which may be nil.
func is(mark *regexp.Regexp, text string) bool { return mark != nil && mark.MatchString(text) }

// part is one list of an answer.
type part struct {
	head  string
	fix   bool // it follows a correction
	cue   bool // its heading says that it is the answer
	items []found
	lines []answerLine
}

// dropLast drops the last item of a reply that was cut off, which may be incomplete.
func dropLast(lines []answerLine, text string) {
	n := len(lines) - 1
	if n < 0 || len(lines[n].items) == 0 || strings.HasSuffix(text, "\n") {
		return
	}
	lines[n].items, lines[n].problem = lines[n].items[:len(lines[n].items)-1], "the reply is cut off here"
}

// runs divides an answer into lists: at headings, where a numbering starts again, and at corrections.
func runs(task Task, lines []answerLine) (list []part) {
	now := part{}
	number := 0
	flush := func(head string) {
		if len(now.items) > 0 {
			list = append(list, now)
		}
		now = part{head: head, cue: answerHead.MatchString(head) && !reasonHead.MatchString(head), fix: corrections.MatchString(head)}
		number = 0
	}
	for _, l := range lines {
		restart := l.number == 1 && number >= 1 && len(l.items) > 0
		switch {
		case l.head != "" && (task != Plan || answerHead.MatchString(l.head) || corrections.MatchString(l.head) || otherHead.MatchString(l.head) || reasonHead.MatchString(l.head)):
			flush(l.head)
		case restart && task == Plan:
			flush("")
		}
		if l.number > 0 {
			number = l.number
		}
		now.items = append(now.items, l.items...)
		now.lines = append(now.lines, l)
	}
	flush("")
	return list
}

// choose returns the items that are the answer, and lines of a list that were not read.
func choose(task Task, lines []answerLine) (items []found, unread []Unread) {
	all := runs(task, lines)
	kept := all
	if i := chosenBy(all, lines); i >= 0 {
		kept = all[i : i+1]
	} else if task == Plan {
		kept = choosePlan(all)
	} else {
		kept = chooseSet(task, all)
	}
	for _, k := range kept {
		items = append(items, k.items...)
	}
	for _, l := range lines {
		if l.problem != "" {
			unread = append(unread, Unread{l.text, l.problem})
		}
	}
	for _, p := range all {
		if !slices.ContainsFunc(kept, func(k part) bool { return &k.lines[0] == &p.lines[0] }) {
			unread = append(unread, Unread{p.lines[0].text, "another list of this answer was taken"})
		}
	}
	return items, unread
}

// choice is a sentence that names one of several lists, such as "I choose plan A".
var choice = regexp.MustCompile(`(?i)\b(?:choose|chose|select(?:ed)?|go(?:ing)? with|recommend|prefer|use|answer is|best is)\b[^.]*?\b((?:plan|option|attempt|solution|alternative|approach) [a-z0-9]+)\b`)

// chosenBy returns the list whose heading a line names as the answer, or -1.
func chosenBy(all []part, lines []answerLine) int {
	for _, l := range slices.Backward(lines) {
		if m := choice.FindStringSubmatch(l.text); m != nil {
			return lastRun(all, func(p part) bool { return strings.Contains(strings.ToLower(p.head)+" ", strings.ToLower(m[1])+" ") })
		}
	}
	return -1
}

// choosePlan takes the last list that is headed as the answer or as a correction, or else the last one
// that tells an earlier one again; lists that go on where the one before ends are one plan.
func choosePlan(all []part) []part {
	for len(all) > 1 {
		last := &all[len(all)-1]
		if aside := reasonHead.MatchString(last.head) || otherHead.MatchString(last.head) && !last.cue; last.fix || !aside {
			break
		}
		all = all[:len(all)-1]
	}
	start := 0
	for i := 1; i < len(all); i++ {
		r := &all[i]
		same := r.items[0].sym == all[start].items[0].sym && slices.Equal(r.items[0].args, all[start].items[0].args)
		if r.cue || r.fix || same {
			if r.fix {
				r.items = append(all[i-1].before(r), r.items...)
			}
			start = i
		}
	}
	return all[start:]
}

// before returns the items of the lines that a list keeps of the one before: "1. a 2. b no, wait: 2. c" keeps step 1.
func (p *part) before(next *part) (items []found) {
	at := slices.IndexFunc(next.lines, func(l answerLine) bool { return l.number > 0 && len(l.items) > 0 })
	for _, l := range p.lines {
		if at >= 0 && l.number > 0 && l.number < next.lines[at].number {
			items = append(items, l.items...)
		}
	}
	return items
}

// chooseSet leaves out lists that are headed as something else than what was asked.
func chooseSet(task Task, all []part) []part {
	headed := func(re *regexp.Regexp) func(part) bool { return func(p part) bool { return is(re, p.head) } }
	drop := func(want func(part) bool, must bool) { // unless it must, it leaves some list
		if kept := slices.DeleteFunc(slices.Clone(all), want); must || len(kept) > 0 {
			all = kept
		}
	}
	if i := lastRun(all, func(p part) bool { return p.fix }); i > 0 { // a correction replaces what came before it
		all = all[i:]
	}
	want, other := sides(task)
	drop(headed(other), true)
	drop(headed(otherHead), false)
	switch task {
	case Applicable:
		drop(headed(consideredHead), false)
	case Positive, Negative:
		drop(func(p part) bool { return !is(want, p.head) }, false)
	case After:
		if i := lastRun(all, headed(afterHead)); i >= 0 {
			return all[i:]
		}
		drop(headed(beforeHead), false)
		if i := lastRun(all, headed(stepHead)); i >= 0 {
			return all[i:]
		}
	}
	if i := lastRun(all, headed(finalHead)); i >= 0 {
		return all[i:]
	}
	return all
}

var finalHead = regexp.MustCompile(`(?i)\b(?:final|answer|complete|full|summary)\b`)

// lastRun returns the last list that is wanted, or -1.
func lastRun(all []part, want func(part) bool) int {
	for i, p := range slices.Backward(all) {
		if want(p) {
			return i
		}
	}
	return -1
}
