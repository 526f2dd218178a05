package characters

import (
	"math/rand/v2"
	"strings"
)

// grammar makes names: a start, now and then a middle, an end; then the head and the tail of a family
// name. Starts end and middles end in a consonant, middles and ends begin with a vowel, so that any
// of them can be joined and said.
type grammar struct {
	starts, middles, ends string // first name; words divided by spaces
	heads, tails          string // family name
}

// lists is a grammar ready to be drawn from.
type lists struct {
	starts, middles, ends, heads, tails []part
}

// part is a part of a name, and what becomes of it in an ID.
type part struct{ text, slug string }

func (g *grammar) split() lists {
	return lists{parts(g.starts), parts(g.middles), parts(g.ends), parts(g.heads), parts(g.tails)}
}

func parts(words string) []part {
	var list []part
	for w := range strings.FieldsSeq(words) {
		list = append(list, part{w, string(Slug(w))})
	}
	return list
}

// spelling is a name in the making, and its ID, which is its Slug.
type spelling struct{ name, id []byte }

func (s spelling) with(text, slug string) spelling {
	return spelling{append(s.name, text...), append(s.id, slug...)}
}

// draw goes on with one of the parts.
func (s spelling) draw(r *rand.Rand, from []part) spelling {
	p := &from[r.IntN(len(from))]
	return s.with(p.text, p.slug)
}

// done returns name and ID, which share one piece of memory.
func (s spelling) done() (string, ID) {
	both := string(append(s.name, s.id...))
	return both[:len(s.name)], ID(both[len(s.name):])
}

// first draws a first name; longer by as many middles as asked for.
func (l *lists) first(s spelling, r *rand.Rand, middles int) spelling {
	s = s.draw(r, l.starts)
	for range middles {
		s = s.draw(r, l.middles)
	}
	return s.draw(r, l.ends)
}

// family draws a family name.
func (l *lists) family(s spelling, r *rand.Rand) spelling {
	return s.with(" ", "-").draw(r, l.heads).draw(r, l.tails)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var dragonbornNames = grammar{
	starts:  "Arj Bal Bhar Dar Dhr Donn Ghesh Gorv Hes Ill Jar Kav Khr Kriv Lorg Med Mehr Nad Ner Pandj Phr Rhog Sham Shed Sor Surr Tarh Tazz Vrak Xar Zed Zhor",
	middles: "ad ak a'r av ash ed ek er esh id iv ir ish od or osh oth ud ur uth",
	ends:    "aar aax ann ar ash asar ax edar een esh iv inn irax isk ogar oth orin uun ux úl ára usk ezh ihr",
	heads:   "Clath Del Drach Fenk Kepesh Kerr Kimb Lin Myast Nemm Norix Oph Praax Shest Turn Verth Yarj Akamb Ghuth Vesh",
	tails:   "tur'ak asham edar'ix orian ethul iathar ombul aarn uroth imaal enkesh addon'ar isk ophin urgan azhir",
}

var dwarfNames = grammar{
	starts:  "Bal Bar Bom Borg Brak Bron Dag Dorm Drom Durg Evr Falk Garn Gorm Grun Hald Harn Hroth Kild Kord Magn Mord Norg Odr Rand Rokk Sigr Skald Thrand Torv Ulf Vard Vond",
	middles: "ad orm av ar eg el er id ind il in ir od og ol or ul un ur",
	ends:    "ak ald an ar ark ed eld en es ik ild in ina ing is ok olf or uk ulf una und ún óra ýr ís ath",
	heads:   "Anvil Ash Black Boulder Brass Bronze Coal Cold Copper Deep Ember Flint Frost Granite Hammer Hearth Iron Lode Ore Pick Quartz Slate Steel Stone Tin",
	tails:   "arm back beard belt brand breaker brow cutter delve fist foot forge gate hand helm hold mantle pick seam shield shoulder wright",
}

var elfNames = grammar{
	starts:  "Ael Aer Cael Cel Eil Elb Élw Ern Fael Fin Gal Hael Ilm Ílv Ith Kel Laer Lin Mael Mir Nael Nim Quel Rael Ser Sil Syl Tael Thal Thel Vael Vel Ylv",
	middles: "ad al a'l an ar eb el en er eth i'l il in ir ith ol or ul yr yn",
	ends:    "a ael aith ara as ela ena ewyn ia iel ien il ind ion ir is oras or ós uil ys yra éa íra aniel edil esta",
	heads:   "Amber Autumn Bright Dawn Dusk Ever Fern Green Lark Willow Mist Moon Night Rain River Silver Snow Star Sun Swift Wind Winter",
	tails:   "bough branch brook crown eyes fall glade glow grove heart leaf light mantle reed shade singer song stride thorn veil water whisper",
}

var gnomeNames = grammar{
	starts:  "Alv Bibb Bodd Brock Corr Dabb Dimbl Ell Erk Fibb Fonk Gerb Gimm Jebb Kell Lopp Namf Nibb Nyx Orr Pilw Quill Roywl Sindr Tabb Tipp Tock Trix Wibb Wren Zann Zook",
	middles: "ab am ad al el er et ib ink il in it ob ock ol op ub unk ul um",
	ends:    "a abell am ana e'et eck en ette ey ibo ixby ie ik in io is izz in'o ó o oddle on ully umble us y yn é",
	heads:   "Babble Bell Bottle Buckle Button Cobble Cog Copper Crank Dapper Fizz Gadget Ginger Kettle Lamp Nickel Pepper Pocket Sprocket Thimble Timber Tinder Tumble Whistle",
	tails:   "bang beck bolt brew button cap click cork drop fuse jig knock latch nose pin pop spark spindle spring stitch tock wick wink works",
}

var halfElfNames = grammar{
	starts:  "Adr Aur Bel Cal Car Cor Dam Del Els Emr Ern Fab Gar Gil Hal Isol Jos Kaer Lor Luc Mar Mel Nev Per Rosl Sab Sever Tam Ter Val Vesk Wil",
	middles: "ad al an ar el en er i'el il in ir ol on or ul yn is ev im ov",
	ends:    "a ae ael ain an ana aren as e'a elle en enne ia iel ien in ine ion is ith on or ose ric yn yse ée ía",
	heads:   "Alder Ash Black Briar Cross East Far Fox Grey Half Hart Haw High Lang March Mere Morn North Oak Otter Rook Stray Thorn West Wild Wynd",
	tails:   "bridge brook bury croft dale fell field ford gate grove ham haven hollow lea marsh mere moor path ridge shaw stead vale way wood",
}

var halfOrcNames = grammar{
	starts:  "Agr Bagr Brugg Dench Dragg Durg Fenk Ghar Grask Grumb Holg Imsh Kansh Kerg Krusk Lubb Mhur Mogr Nagr Ovak Rakk Rend Rogg Shaut Shumb Sutt Thokk Ulg Urz Vol Yegr Zurk",
	middles: "ad ag a'k ak ar az eg ek er ig im og ok or ug uk ul um ur uz",
	ends:    "a ack ag akh an ar ash ek elda en esh a'r ig in isha ob og okk oth a'g ub ug ul um usk úk óg eth",
	heads:   "Ash Bark Bear Bitter Bog Bone Broken Cinder Crow Dust Gravel Grim Half Hard Iron Mud Night Red Salt Scar Stone Storm Thorn Wolf",
	tails:   "back bell bite born brand break cap claw eye fang fist hand hide horn jaw knuckle march road sinew stride tooth tusk ward water",
}

var halflingNames = grammar{
	starts:  "Ald Ann Barn Bert Bram Cad Cor Dais Dod Eld Fald Ferd Garr Gill Hald Jill Kith Lid Lill Merr Mil Nedd Oll Osb Perr Pimm Porr Rosl Sabb Tamm Till Wend Wilk",
	middles: "ab ad al am an ar eb el er ib id il in ob ol om on ub ul um",
	ends:    "a ab abel adoc an and ary as el ella en er ette ey ian ic ie ill in ine is o och ock on oway os y é ún",
	heads:   "Apple Barley Berry Bramble Butter Button Cherry Clover Cotton Damson Goose Hazel Hedge Honey Kettle Larder Marrow Nettle Oat Parsley Pear Plum Quince Thistle",
	tails:   "bank barrel basket bottom brook burrow bury croft dell down field foot gate green hill hollow jar leaf lock meadow patch pot wick yard",
}

var humanNames = grammar{
	starts:  "Adal Alar Ansel Bened Bert Cass Const Crist Dor Edm Elsw Emer Esm Gerv Greg Hild Isab Jann Kath Leof Marg Matt Nath Osw Pasc Ros Sib Theod Tob Urs Vinc Walt",
	middles: "ad al am av ar ec ed el en er ev ic id il im in ir ol or ul",
	ends:    "a ald an ard as ea el en er et ia ian ic in ina is o old on or us ús én ío una ulf us y ynn ette",
	heads:   "Ash Barn Beck Black Brad Burn Carl Clay Cray Dun Fair Farn Gold Hal Har Kirk Lang Mar Nor Pem Rad Shel Sten Thorn Wal Whit Wool York D'Ash O'Har",
	tails:   "bridge brook by cliffe combe cote croft dale den field ford gate grave ham hurst ing land ley low mead more sby shaw stock ton wick worth",
}

var tieflingNames = grammar{
	starts:  "Akm Amn Barak Bryss Crin Dam Dyss Ekem Gadr Iad Kair Kall Lerr Leuc Makr Mell Mord Nem Orth Pel Phel Riev Sarr Skam Ther Vael Valaf Vess Xarz Yss Zaff Zor",
	middles: "ad ak al av a'v ar ath em er esh et i'x ir is or os oth ul ur yx",
	ends:    "a ae aia aius akos ala amon anna aris as eia eon eth axis iel ila inos ira is yth oche on os oth ys yx éa úl ós",
	heads:   "Ash Bright Candle Cinder Coal Dusk Ember Ever Fallen Flame Gilt Hollow Ink Lantern Last Low Night Pale Rust Smoke Soot Thrice Velvet Wax",
	tails:   "bell blessed born bound brand burn choir crown end fall gate glass guest hand heir hymn kiss lark mark price sworn tide vow wake",
}
