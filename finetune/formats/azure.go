package formats

// azureSFT is supervised fine-tuning at Azure OpenAI: OpenAI's rows in a file that begins with a byte
// order mark, as its documentation asks for.
var azureSFT = Format{
	Name: "azure-sft", About: "Supervised fine-tuning at Azure OpenAI: UTF-8 with a byte order mark", Tasks: teaching,
	bom: true, encode: encodeWeighted,
	usage: func(w *written) string {
		return openaiUsage(w) + "The files begin with a byte order mark, which Azure wants and other readers refuse.\n" +
			"Files of more than about 150 MB go through the uploads interface, in parts.\n"
	},
	loader: service, limits: openaiLimits, check: checkOpenAI, done: enoughForOpenAI,
}
