package corpora

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// page reads a rendered page. A message is an element of class "message"; it names its speaker only
// where that changes.
func (f *File) page(data []byte) ([]post, error) {
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: byte 0: read page: %w", f.Name, err)
	}
	var posts []post
	who, player, names := "", "", map[string]string{}
	for n := range root.Descendants() {
		if !has(n, "message") || n.Data != "div" {
			continue
		}
		p := rendered(n)
		p.number = len(posts) + 1
		own := p.user != "" || p.name != ""
		switch authorless := has(n, "emote") || has(n, "desc"); {
		case authorless: // it shows no author, and the next message does
			if p.user != "" {
				p.name = cmp.Or(p.name, names[p.user])
			}
		case own:
			p.name = cmp.Or(p.name, names[p.user])
			who, player, names[p.user] = p.name, p.user, p.name
		default:
			p.name, p.user = who, player
			p.gm = p.gm || strings.HasSuffix(who, "(GM)")
		}
		posts = append(posts, p)
	}
	if len(posts) == 0 {
		return nil, fmt.Errorf("%s: byte %d: this is no chat archive of Roll20: it holds no messages", f.Name, len(data))
	}
	end := bytes.TrimSpace(data)
	if !bytes.HasSuffix(end, []byte(">")) || bytes.Contains(data, []byte("<html")) && !bytes.Contains(data, []byte("</html>")) {
		return nil, fmt.Errorf("%s: byte %d: the file is cut off", f.Name, len(data))
	}
	emoters(posts)
	return posts, nil
}

// emoters finds the authors of emotes that show none: an emote begins with its author's name.
func emoters(posts []post) {
	type author struct{ name, user string }
	var known []author
	for i := range posts {
		for _, name := range []string{posts[i].name, posts[i].actor} {
			if a := (author{name, posts[i].user}); name != "" && !slices.Contains(known, a) {
				known = append(known, a)
			}
		}
	}
	for i := range posts {
		p := &posts[i]
		if p.name != "" || p.user != "" || p.gm {
			continue
		}
		best := author{}
		for _, a := range known {
			if strings.HasPrefix(p.text, a.name) && len(a.name) > len(best.name) {
				best = a
			}
		}
		p.name, p.user = best.name, best.user
	}
}

// rendered reads a message of the page.
func rendered(n *html.Node) post {
	kind := "general"
	for _, t := range []string{"emote", "desc", "rollresult", "gmrollresult", "api", "error", "system", "private", "whisper"} {
		if has(n, t) {
			kind = t
		}
	}
	by, stamp := text(find(n, "by")), strings.TrimSpace(text(find(n, "tstamp")))
	if strings.HasPrefix(by, "(To ") || strings.HasPrefix(by, "(From ") {
		if kind == "general" || kind == "rollresult" {
			kind = "whisper"
		}
		by = ""
	}
	p := newPost(kind, by, attribute(n, "data-playerid"))
	for _, layout := range []string{"January 2, 2006 3:04PM", "January 02, 2006 3:04PM"} {
		if t, err := time.Parse(layout, stamp); err == nil {
			p.at = time.Duration(t.UnixMilli()) * time.Millisecond
		}
	}
	template := findFunc(n, func(n *html.Node) bool {
		return n.Data == "rolltemplate" || strings.Contains(attribute(n, "class"), "sheet-rolltemplate-")
	})
	switch {
	case p.leave != "":
	case template != nil:
		p.template(template)
	case kind == "rollresult":
		var formulas []string
		for c := range n.Descendants() {
			if has(c, "formula") {
				formulas = append(formulas, text(c))
			}
		}
		p.dice(strings.Join(formulas, "#"))
	default:
		p.said(strings.Join(strings.Fields(text(n)), " "), inlineD20(n))
	}
	return p
}

// template reads a rendered template: what its captions and the headers of its rows say.
func (p *post) template(t *html.Node) {
	var labels []string
	for n := range t.Descendants() {
		names := []string{n.Data}
		for _, class := range classes(n) {
			_, element, _ := strings.Cut(class, "__") // block__element, as some style sheets name classes
			names = append(names, cmp.Or(element, strings.TrimPrefix(class, "sheet-")))
		}
		for _, name := range names {
			switch {
			case charnames[name]:
				p.actor = cmp.Or(p.actor, strings.TrimSpace(text(n)))
			case captions[name] || name == "td" || name == "th":
				labels = append(labels, text(n))
			}
		}
	}
	// The sheets of 2024 show dice of their own, and do not say which.
	own := findFunc(t, func(n *html.Node) bool { return has(n, "die__total") }) != nil
	p.rolled(labels, own || inlineD20(t))
}

// inlineD20 reports whether an element shows the result of a d20; results that do not say of which dice
// count as such.
func inlineD20(n *html.Node) bool {
	return findFunc(n, func(n *html.Node) bool {
		if !has(n, "inlinerollresult") {
			return false
		}
		title := attribute(n, "title") + attribute(n, "original-title")
		return title == "" || strings.Contains(title, "d20")
	}) != nil
}

// hidden are the classes of a message's parts that are not said.
var hidden = set("by tstamp spacer avatar flyout")

// text returns the text of an element; inline results get a mark before them.
func text(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	var walk func(*html.Node, bool)
	walk = func(n *html.Node, top bool) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
			return
		case n.Type == html.CommentNode || n.Data == "script" || n.Data == "style":
			return
		case !top && slices.ContainsFunc(classes(n), func(c string) bool { return hidden[c] }):
			return
		case !top && has(n, "inlinerollresult"):
			b.WriteString(rollMark)
		}
		space := breaks.MatchString("<" + n.Data)
		if space {
			b.WriteByte(' ')
		}
		for c := range n.ChildNodes() {
			walk(c, false)
		}
		if space {
			b.WriteByte(' ')
		}
	}
	walk(n, true)
	return b.String()
}

func find(n *html.Node, class string) *html.Node {
	return findFunc(n, func(n *html.Node) bool { return has(n, class) })
}

func findFunc(n *html.Node, fits func(*html.Node) bool) *html.Node {
	for c := range n.Descendants() {
		if fits(c) {
			return c
		}
	}
	return nil
}

func classes(n *html.Node) []string { return strings.Fields(attribute(n, "class")) }

func has(n *html.Node, class string) bool {
	return n.Type == html.ElementNode && slices.Contains(classes(n), class)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
